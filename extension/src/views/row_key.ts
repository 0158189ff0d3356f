import type { RowsColumnValue } from '../contract';

/** Longer texts end with a character that shows that they are cut. */
const LONGEST = 200;

/** Whether a column belongs to the primary key. */
export function isOfKey({ role }: RowsColumnValue): boolean {
  return role.split(', ').includes('primary key');
}

/** Return the primary key of a row by column; null if there is none, or if a text of it is cut. */
export function keyOfRow(
  columns: readonly RowsColumnValue[],
  row: readonly (string | null)[]
): Record<string, string> | null {
  const key: Record<string, string> = {};
  for (const [at, column] of columns.entries()) {
    const text = row[at];
    if (isOfKey(column)) {
      if (text === null || text.length > LONGEST) {
        return null;
      }
      key[column.name] = text;
    }
  }
  return Object.keys(key).length > 0 ? key : null;
}
