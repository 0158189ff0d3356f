import { describe, expect, it } from 'vitest';
import { gridMove, widthsOf } from '../../src/state/grid';

const size = { rows: 10, columns: 3 };
const at = (row: number, column: number) => ({ row, column });

describe('a key in the grid', () => {
  it('moves by one cell, and stays inside', () => {
    expect(gridMove(at(0, 0), 'ArrowDown', false, size, 4)).toEqual(at(1, 0));
    expect(gridMove(at(0, 0), 'ArrowUp', false, size, 4)).toEqual(at(0, 0));
    expect(gridMove(at(9, 2), 'ArrowRight', false, size, 4)).toEqual(at(9, 2));
    expect(gridMove(at(9, 2), 'ArrowLeft', false, size, 4)).toEqual(at(9, 1));
  });

  it('moves by pages and to the ends', () => {
    expect(gridMove(at(1, 1), 'PageDown', false, size, 4)).toEqual(at(5, 1));
    expect(gridMove(at(1, 1), 'PageUp', false, size, 4)).toEqual(at(0, 1));
    expect(gridMove(at(1, 1), 'Home', false, size, 4)).toEqual(at(1, 0));
    expect(gridMove(at(1, 1), 'End', true, size, 4)).toEqual(at(9, 2));
  });

  it('does nothing else, and nothing without rows', () => {
    expect(gridMove(at(1, 1), 'x', false, size, 4)).toBeNull();
    expect(
      gridMove(at(0, 0), 'End', false, { rows: 0, columns: 3 }, 4)
    ).toBeNull();
  });
});

describe('the width of a column', () => {
  const columns = ['n', 'text'].map(name => ({
    name,
    type: 'INT',
    number: true,
    role: ''
  }));

  it('is that of its longest text, within limits', () => {
    const [narrow, wide] = widthsOf({ columns, rows: [['1', 'x'.repeat(99)]] });
    expect(narrow).toBe(84);
    expect(wide).toBe(320);
  });
});
