import type { RowsColumnValue, RowsValue } from '../contract';

/** Longer texts end with a character that shows that they are cut. */
const LONGEST = 200;

/** Whether a column belongs to the primary key. */
export function isOfKey({ role }: RowsColumnValue): boolean {
  return role.split(', ').includes('primary key');
}

/** Return the primary key of a row by column; null if a text of it is cut. */
export function keyOfRow(
  { columns, rows }: RowsValue,
  row: number
): Record<string, string> | null {
  const key: Record<string, string> = {};
  for (const [at, column] of columns.entries()) {
    const text = rows[row][at];
    if (isOfKey(column)) {
      if (text === null || text.length > LONGEST) {
        return null;
      }
      key[column.name] = text;
    }
  }
  return key;
}
