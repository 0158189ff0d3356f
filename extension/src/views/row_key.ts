import type { RowsColumnValue } from '../contract';

/** The maximum length of a text; longer texts are truncated and marked by one more character. */
const LONGEST = 200;

/** Return whether a column belongs to the primary key. */
export function isOfKey({ role }: RowsColumnValue): boolean {
  return role.split(', ').includes('primary key');
}

/** Return the primary key of a row, keyed by column, or null if there is none or if it contains a truncated text. */
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
