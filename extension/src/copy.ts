import type { CatalogValue, Int64 } from './contract';
import { fullName, type TableName } from './state/names';
import type { Version } from './state/version';

const IMPORT = 'import workbench as wb\n\n';

/** Return a text as a Python string literal. */
export function pythonText(text: string): string {
  // JSON's escapes are valid in Python, except for surrogate pairs; Python reads those characters unescaped.
  return JSON.stringify(text);
}

/**
 * Return the argument of `wb.connect` and `%paimon connect` for a catalog: its name if a catalog file defines it,
 * because kernels read that file too; otherwise its warehouse.
 */
function connectTarget(catalog: CatalogValue): string {
  return catalog.origin === 'session' ? catalog.warehouse : catalog.name;
}

/** Whether a catalog has only a name or a warehouse; if not, a kernel needs all options, except those that are secret. */
function isPlain({ origin, options }: CatalogValue): boolean {
  return origin !== 'session' || options.length <= 1;
}

function connectArgument(catalog: CatalogValue): string {
  if (isPlain(catalog)) {
    return pythonText(connectTarget(catalog));
  }
  const pairs = catalog.options.map(
    ({ key, value }) => `${pythonText(key)}: ${pythonText(value)}`
  );
  return `{${pairs.join(', ')}}`;
}

function connectWords(catalog: CatalogValue): string {
  if (isPlain(catalog)) {
    return shellWord(connectTarget(catalog));
  }
  const pairs = catalog.options.map(({ key, value }) => `${key}=${value}`);
  return pairs.map(shellWord).join(' ');
}

/** Return `wb.connect("demo").get_table("shop.orders").at(snapshot=12)`, with its import. */
export function pythonCode(
  catalog: CatalogValue,
  name: TableName,
  version: Version
): string {
  return viewCode(catalog, name, version, table => table);
}

/** Return the code of a view, with its import; `view` builds it from the expression of the table's version. */
export function viewCode(
  catalog: CatalogValue,
  name: TableName,
  version: Version,
  view: (table: string) => string
): string {
  return `${IMPORT}${view(`${tableCode(catalog, name)}${atCode(version)}`)}`;
}

/** Return the code that makes a snapshot the latest one of a table. */
export function rollbackCode(
  catalog: CatalogValue,
  name: TableName,
  snapshot: Int64
): string {
  return `${IMPORT}${tableCode(catalog, name)}.rollback_to(snapshot=${snapshot})`;
}

function tableCode(catalog: CatalogValue, name: TableName): string {
  const connected = `wb.connect(${connectArgument(catalog)})`;
  const table = `get_table(${pythonText(fullName(name))})`;
  return `${connected}.${table}`;
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

/** Return a name in SQL, quoted with backticks if necessary. */
export function sqlName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? name
    : `\`${name.replace(/`/g, '``')}\``;
}

/** Return a text as a SQL string literal. */
function sqlText(text: string): string {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}

/** Return a `%%paimon` cell that creates a tag of a snapshot; the user replaces its name. */
export function tagCode(name: TableName, snapshot: Int64): string {
  const { database, table } = name;
  const target = sqlText(`${sqlName(database)}.${sqlName(table)}`);
  return `${MAGIC}\nCALL sys.create_tag(table => ${target}, tag => 'my-tag', snapshot => ${snapshot})`;
}

/** The cell magic for SQL. */
export const MAGIC = '%%paimon';

/** Return a `%%paimon` cell that selects the first rows of a table. */
export function cellCode(name: TableName, version: Version): string {
  return `${MAGIC}${versionFlag(version)}\nSELECT * FROM ${tableSql(name)} LIMIT 20`;
}

/** Return the name of a table in SQL, with its database. */
export function tableSql({ database, table }: TableName): string {
  return `${sqlName(database)}.${sqlName(table)}`;
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

/** Return the code that a kernel still has to run before a `%%paimon` cell. */
export function prepareCode(
  catalog: CatalogValue,
  kernel: { readonly loaded: boolean; readonly connected: string | null }
): string {
  const lines = kernel.loaded ? [] : ['%load_ext workbench'];
  const targets = [catalog.name, catalog.warehouse];
  if (kernel.connected === null || !targets.includes(kernel.connected)) {
    lines.push(`%paimon connect ${connectWords(catalog)}`);
  }
  return lines.join('\n');
}

/** Return a word of a line magic, with shell quotes if necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text)
    ? text
    : `'${text.replace(/'/g, `'"'"'`)}'`;
}
