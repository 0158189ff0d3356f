/** Where a table is: three names that may hold any character. */
export interface TableName {
  readonly catalog: string;
  readonly database: string;
  readonly table: string;
}

/** A text that stands for names in order, whatever they hold. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

export function tableKey(name: TableName): string {
  return pathKey([name.catalog, name.database, name.table]);
}

export function fullName(name: TableName): string {
  return `${name.database}.${name.table}`;
}
