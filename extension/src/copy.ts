import type { CatalogValue } from './contract';
import { fullName, type TableName } from './state/names';
import type { Version } from './state/version';

/** A Python string literal with the text in it. */
function pythonText(text: string): string {
  // JSON's escapes are Python's too, but for what stands outside the basic plane: Python reads that as it is.
  return JSON.stringify(text);
}

/**
 * What `wb.connect` and `%paimon connect` take for a catalog: its name where a file names it, which a kernel reads
 * too, and otherwise its warehouse.
 */
function connectTarget(catalog: CatalogValue): string {
  return catalog.origin === 'session' ? catalog.warehouse : catalog.name;
}

/** `wb.connect("demo").get_table("shop.orders").at(snapshot=12)`, with its import. */
export function pythonCode(
  catalog: CatalogValue,
  name: TableName,
  version: Version
): string {
  const connected = `wb.connect(${pythonText(connectTarget(catalog))})`;
  const table = `get_table(${pythonText(fullName(name))})`;
  return `import workbench as wb\n\n${connected}.${table}${atCode(version)}`;
}

function atCode(version: Version): string {
  switch (version.kind) {
    case 'latest':
      return '';
    case 'snapshot':
      return `.at(snapshot=${version.id})`;
    case 'tag':
      return `.at(tag=${pythonText(version.name)})`;
  }
}

/** A name in SQL, between back quotes where it needs them. */
export function sqlName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? name
    : `\`${name.replace(/`/g, '``')}\``;
}

/** The cell magic for SQL. */
export const MAGIC = '%%paimon';

/** A `%%paimon` cell with the first rows of a table. */
export function cellCode(name: TableName, version: Version): string {
  const table = `${sqlName(name.database)}.${sqlName(name.table)}`;
  return `${MAGIC}${versionFlag(version)}\nSELECT * FROM ${table} LIMIT 20`;
}

function versionFlag(version: Version): string {
  switch (version.kind) {
    case 'latest':
      return '';
    case 'snapshot':
      return ` --snapshot ${version.id}`;
    case 'tag':
      return ` --tag ${shellWord(version.name)}`;
  }
}

/** What a kernel must have run before a `%%paimon` cell; nothing for what it has already. */
export function prepareCode(
  catalog: CatalogValue,
  kernel: { readonly loaded: boolean; readonly connected: string | null }
): string {
  const lines = kernel.loaded ? [] : ['%load_ext workbench'];
  const targets = [catalog.name, catalog.warehouse];
  if (kernel.connected === null || !targets.includes(kernel.connected)) {
    lines.push(`%paimon connect ${shellWord(connectTarget(catalog))}`);
  }
  return lines.join('\n');
}

/** A word of a magic's line, quoted as shells do where it needs it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text)
    ? text
    : `'${text.replace(/'/g, `'"'"'`)}'`;
}
