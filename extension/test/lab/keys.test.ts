import { describe, expect, it } from 'vitest';
import { tabLabels } from '../../src/state/names';
import { EMPTY_FOREST, withExpanded, withPage } from '../../src/state/forest';
import { moveFor } from '../../src/state/keys';
import { pathKey } from '../../src/state/names';
import { visibleRows } from '../../src/state/rows';
import {
  visibleRange,
  linesOf,
  scrollToShow,
  totalHeight
} from '../../src/state/window';

const catalog = {
  warehouse: '',
  metastore: '',
  origin: 'user' as const,
  read_only: false,
  kind: '',
  address: '',
  options: []
};
const names = ['apple', 'avocado', 'rye', 'my table'];
const page = { search: '', names, next: null, total: names.length };
const open = withExpanded(EMPTY_FOREST, pathKey(['lake']), true);
const rows = visibleRows(
  [{ name: 'lake', ...catalog }],
  withPage(open, pathKey(['lake']), page, false)
);

function press(key: string, index: number, typed = '', shiftKey = false) {
  const keys = { ctrlKey: false, metaKey: false, altKey: false };
  return moveFor(rows, index, { key, shiftKey, ...keys }, 3, typed);
}

describe('keys in the tree', () => {
  it.each([
    ['ArrowDown', 0, 1],
    ['ArrowDown', 4, 4],
    ['ArrowUp', 0, 0],
    ['End', 0, 4],
    ['Home', 3, 0],
    ['PageDown', 0, 3],
    ['PageUp', 4, 1],
    ['ArrowLeft', 3, 0],
    ['ArrowRight', 0, 1]
  ])('%s on line %i goes to line %i', (key, index, expected) => {
    expect(press(key, index)).toEqual({ kind: 'focus', index: expected });
  });

  it('opens and closes', () => {
    const closed = { kind: 'expand', index: 1, open: true };
    expect(press('ArrowRight', 1)).toEqual(closed);
    expect(press(' ', 1)).toEqual(closed);
    expect(press('ArrowLeft', 0)).toMatchObject({ open: false });
    expect(press('Enter', 1)).toEqual({ kind: 'activate', index: 1 });
  });

  it('asks for the menu, a refresh, the search', () => {
    expect(press('F10', 1, '', true)).toEqual({ kind: 'menu', index: 1 });
    expect(press('F10', 1)).toBeNull();
    expect(press('ContextMenu', 2)).toMatchObject({ kind: 'menu' });
    expect(press('F5', 2)).toEqual({ kind: 'refresh', index: 2 });
    expect(press('r', 2)).toEqual({ kind: 'refresh', index: 2 });
    expect(press('/', 2)).toEqual({ kind: 'search' });
  });

  it('goes to the next name that begins with what was typed', () => {
    expect(press('a', 0)).toMatchObject({ index: 1 });
    expect(press('a', 1, 'a')).toMatchObject({ index: 2 });
    expect(press('v', 1, 'a')).toMatchObject({ index: 2 });
    expect(press('r', 2, 'x')).toEqual({ kind: 'focus', index: 2 });
    expect(press(' ', 4, 'my')).toEqual({ kind: 'focus', index: 4 });
    expect(press(' ', 1, 'a')).toMatchObject({ kind: 'expand' });
  });

  it('leaves shortcuts alone', () => {
    const pressed = { key: 'a', shiftKey: false, metaKey: false };
    const control = { ...pressed, ctrlKey: true, altKey: false };
    expect(moveFor(rows, 0, control, 3, '')).toBeNull();
    expect(press('Tab', 0)).toBeNull();
  });
});

describe('the lines in sight', () => {
  const lines = linesOf(Array.from({ length: 1000 }, () => 24));

  it('are few of many', () => {
    expect(totalHeight(lines)).toBe(24000);
    expect(visibleRange(lines, 0, 480, 2)).toEqual([0, 23]);
    expect(visibleRange(lines, 12000, 480, 2)).toEqual([498, 523]);
    expect(visibleRange(lines, 23520, 480, 2)).toEqual([978, 1000]);
    expect(visibleRange(linesOf([]), 0, 480, 2)).toEqual([0, 0]);
  });

  it('move only as far as a line needs', () => {
    expect(scrollToShow(lines, 0, 100, 480)).toBe(0);
    expect(scrollToShow(lines, 10, 100, 480)).toBe(100);
    expect(scrollToShow(lines, 30, 0, 480)).toBe(31 * 24 - 480);
  });
});

describe('labels of tabs', () => {
  const name = (catalog: string, database: string, table = 'orders') => ({
    catalog,
    database,
    table
  });

  it('are the name of the table, with what tells equal names apart', () => {
    expect(tabLabels([name('prod', 'shop')])).toEqual(['orders']);
    expect(tabLabels([name('prod', 'shop'), name('archive', 'shop')])).toEqual([
      'orders (prod)',
      'orders (archive)'
    ]);
    expect(tabLabels([name('prod', 'shop'), name('prod', 'corp')])).toEqual([
      'shop.orders',
      'corp.orders'
    ]);
  });
});
