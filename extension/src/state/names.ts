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

export function tableKey(name: TableName): string {
  return pathKey([name.catalog, name.database, name.table]);
}

export function fullName(name: TableName): string {
  return `${name.database}.${name.table}`;
}
