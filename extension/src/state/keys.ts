import { isEntry, isNode, nameOf, type Row } from './rows';

/** The effect of a key in the tree. */
export type TreeMove =
  | { kind: 'focus'; index: number }
  | { kind: 'expand'; index: number; open: boolean }
  | { kind: 'activate'; index: number }
  | { kind: 'refresh'; index: number }
  | { kind: 'menu'; index: number }
  | { kind: 'search' };

interface Pressed {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/**
 * Return the effect of a key on the row `index`, or null if the tree ignores it. `typed` is the text typed just before.
 */
export function moveFor(
  rows: readonly Row[],
  index: number,
  pressed: Pressed,
  pageSize: number,
  typed: string
): TreeMove | null {
  const { key } = pressed;
  if (key === 'ContextMenu' || (key === 'F10' && pressed.shiftKey)) {
    return { kind: 'menu', index };
  }
  if (pressed.ctrlKey || pressed.metaKey || pressed.altKey || !rows.length) {
    return null;
  }
  return (
    stepFor(rows, index, key, pageSize) ??
    actionFor(rows, index, key, typed) ??
    typeAhead(rows, index, key, typed)
  );
}

function stepFor(
  rows: readonly Row[],
  index: number,
  key: string,
  pageSize: number
): TreeMove | null {
  const last = rows.length - 1;
  const targets: Record<string, number> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    Home: 0,
    End: last,
    PageDown: index + pageSize,
    PageUp: index - pageSize
  };
  if (key in targets) {
    return focus(Math.min(Math.max(targets[key], 0), last));
  }
  const row = rows[index];
  if (key === 'ArrowRight') {
    return row.expanded === false
      ? { kind: 'expand', index, open: true }
      : focus(row.expanded ? Math.min(index + 1, last) : index);
  }
  if (key === 'ArrowLeft') {
    return row.expanded
      ? { kind: 'expand', index, open: false }
      : focus(parentOf(rows, index));
  }
  return null;
}

function actionFor(
  rows: readonly Row[],
  index: number,
  key: string,
  typed: string
): TreeMove | null {
  if (key === 'Enter') {
    return { kind: 'activate', index };
  }
  if (key === ' ' && !isTyping(rows, typed + key)) {
    const { expanded } = rows[index];
    return expanded === null
      ? { kind: 'activate', index }
      : { kind: 'expand', index, open: !expanded };
  }
  if (key === 'F5' || (key === 'r' && !typed)) {
    return { kind: 'refresh', index };
  }
  return key === '/' && !typed ? { kind: 'search' } : null;
}

function isNamed(row: Row): boolean {
  return isNode(row) || isEntry(row);
}

function isTyping(rows: readonly Row[], text: string): boolean {
  const start = text.toLowerCase();
  return rows.some(
    row => isNamed(row) && nameOf(row).toLowerCase().startsWith(start)
  );
}

/** Return the next row whose name starts with the typed text; a repeated letter moves to the next such row. */
function typeAhead(
  rows: readonly Row[],
  index: number,
  key: string,
  typed: string
): TreeMove | null {
  if ([...key].length !== 1) {
    return null;
  }
  const text = (typed + key).toLowerCase();
  const repeated = [...text].every(letter => letter === text[0]);
  const start = repeated ? text[0] : text;
  const first = typed && !repeated ? index : index + 1;
  for (let step = 0; step < rows.length; step += 1) {
    const at = (first + step) % rows.length;
    const row = rows[at];
    if (isNamed(row) && nameOf(row).toLowerCase().startsWith(start)) {
      return focus(at);
    }
  }
  return focus(index);
}

function parentOf(rows: readonly Row[], index: number): number {
  const { level } = rows[index];
  for (let at = index - 1; at >= 0; at -= 1) {
    if (rows[at].level < level) {
      return at;
    }
  }
  return index;
}

function focus(index: number): TreeMove {
  return { kind: 'focus', index };
}
