/** The full name of a table; each part may contain any character. */
export interface TableName {
  readonly catalog: string;
  readonly database: string;
  readonly table: string;
}

/** Return a unique key for a sequence of names. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

/** Return the names of a key. */
export function keyPath(key: string): readonly string[] {
  return JSON.parse(key) as string[];
}

export function tableKey(name: TableName): string {
  return pathKey([name.catalog, name.database, name.table]);
}

export function fullName(name: TableName): string {
  return `${name.database}.${name.table}`;
}

/**
 * Return the labels of tabs of tables that have one name: the database, and then the catalog, are added if they differ.
 */
export function tabLabels(names: readonly TableName[]): string[] {
  const differs = (part: 'catalog' | 'database') =>
    new Set(names.map(name => name[part])).size > 1;
  const [catalogs, databases] = [differs('catalog'), differs('database')];
  return names.map(({ catalog, database, table }) => {
    const name = databases ? `${database}.${table}` : table;
    return catalogs ? `${name} (${catalog})` : name;
  });
}
