import { describe, expect, it } from 'vitest';
import { mergeBetween } from '../../src/views/levels/merges';
import { bucket, levels } from './values';

const level = (number: number, runs: number, rows = 10) => ({
  level: number,
  runs,
  files: runs,
  rows: String(rows),
  size: String(rows * 8)
});
const of = (...buckets: [string, ReturnType<typeof level>[]][]) =>
  levels([], {
    buckets: buckets.map(([id, all]) =>
      bucket(id, '', 0, {
        runs: all.reduce((sum, each) => sum + each.runs, 0),
        levels: all
      })
    )
  });

describe('a merge', () => {
  it('is the runs that went into a level', () => {
    const before = of([':0', [level(0, 4), level(5, 1, 90)]]);
    expect(mergeBetween(before, of([':0', [level(5, 1, 120)]]))).toEqual({
      runs: 5,
      levels: [5]
    });
    const above = of([':0', [level(4, 1, 40), level(5, 1, 90)]]);
    expect(mergeBetween(before, above)).toEqual({ runs: 4, levels: [4] });
  });

  it('sums up all buckets, and leaves out those that did not change', () => {
    const same = [level(0, 2), level(3, 1)];
    const before = of(
      [':0', [level(0, 4)]],
      [':1', [level(0, 2), level(5, 1)]],
      [':2', same]
    );
    const now = of(
      [':0', [level(4, 1, 40)]],
      [':1', [level(5, 1, 30)]],
      [':2', same]
    );
    expect(mergeBetween(before, now)).toEqual({ runs: 7, levels: [4, 5] });
  });

  it('is not known without keys, without files that were written, and for pages of buckets', () => {
    const before = of([':0', [level(0, 4)]]);
    const now = of([':0', [level(4, 1, 40)]]);
    expect(
      mergeBetween({ ...before, keys: [] }, { ...now, keys: [] })
    ).toBeNull();
    expect(mergeBetween(before, before)).toBeNull();
    expect(mergeBetween(before, { ...now, next: ':0' })).toBeNull();
    expect(mergeBetween(null, now)).toBeNull();
  });
});
