import type { RowsValue } from '../contract';

/** A cell of the grid. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

const LETTER = 8.4;
const PADDING = 20;
const LEAST = 84;
const MOST = 320;
/** The number of rows whose texts determine the widths: later pages must not move the columns. */
const MEASURED_ROWS = 100;
const ROLE_LETTERS = 3;

/** Return the width of each column in pixels: the width of its longest text, within limits. */
export function widthsOf({
  columns,
  rows
}: Pick<RowsValue, 'columns' | 'rows'>): number[] {
  const measured = rows.slice(0, MEASURED_ROWS);
  return columns.map(({ name, type, role }, index) => {
    const head = name.length + type.length + 2 + (role ? ROLE_LETTERS : 0);
    const longest = measured.reduce(
      (most, row) => Math.max(most, row[index]?.length ?? 0),
      head
    );
    return Math.round(
      Math.min(Math.max(longest * LETTER + PADDING, LEAST), MOST)
    );
  });
}

/** Return the cell that a key moves to, or null if the key does not move. */
export function gridMove(
  { row, column }: Cell,
  key: string,
  whole: boolean,
  size: { readonly rows: number; readonly columns: number },
  page: number
): Cell | null {
  const last = { row: size.rows - 1, column: size.columns - 1 };
  if (last.row < 0 || last.column < 0) {
    return null;
  }
  const at = (nextRow: number, nextColumn: number): Cell => ({
    row: Math.min(Math.max(nextRow, 0), last.row),
    column: Math.min(Math.max(nextColumn, 0), last.column)
  });
  switch (key) {
    case 'ArrowUp':
      return at(row - 1, column);
    case 'ArrowDown':
      return at(row + 1, column);
    case 'ArrowLeft':
      return at(row, column - 1);
    case 'ArrowRight':
      return at(row, column + 1);
    case 'PageUp':
      return at(row - page, column);
    case 'PageDown':
      return at(row + page, column);
    case 'Home':
      return at(whole ? 0 : row, 0);
    case 'End':
      return at(whole ? last.row : row, last.column);
    default:
      return null;
  }
}
