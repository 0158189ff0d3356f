import { describe, expect, it } from 'vitest';
import { nearestFile, overlapOf } from '../../src/views/levels/geometry';
import { endsOf } from '../../src/views/levels/axis';
import { file, levels, run } from './values';

function overlap(...runs: [number, number][][]) {
  const value = levels(
    runs.map((ranges, index) =>
      run(
        index,
        ...ranges.map(([start, end], at) =>
          file(`${index}-${at}`, { start, end })
        )
      )
    )
  );
  return overlapOf(value.bucket!);
}

describe('overlap of sorted runs', () => {
  it('counts the runs that share a key', () => {
    const intervals = overlap(
      [[0.2, 0.6]],
      [[0.5, 0.9]],
      [
        [0, 0.4],
        [0.4, 1]
      ]
    );
    expect(intervals).toEqual([
      { start: 0, end: 0.2, runs: 1 },
      { start: 0.2, end: 0.5, runs: 2 },
      { start: 0.5, end: 0.6, runs: 3 },
      { start: 0.6, end: 0.9, runs: 2 },
      { start: 0.9, end: 1, runs: 1 }
    ]);
  });

  it('leaves out intervals without keys', () => {
    expect(overlap([[0, 0.2]], [[0.8, 1]])).toEqual([
      { start: 0, end: 0.2, runs: 1 },
      { start: 0.8, end: 1, runs: 1 }
    ]);
  });

  it('keeps the greatest number where intervals are too many to draw', () => {
    const runs = Array.from({ length: 200 }, (_, index): [number, number][] => [
      [index / 400, 1 - index / 400]
    ]);
    const intervals = overlap(...runs);
    expect(intervals.length).toBeLessThanOrEqual(60);
    expect(Math.max(...intervals.map(item => item.runs))).toBe(200);
  });
});

describe('the ends of the axis', () => {
  const between = (keys: string[], to_scale: boolean) => ({
    to_scale,
    runs: [
      run(
        0,
        file('one', { start: 0, end: 0.2, min_key: keys[0], max_key: keys[1] }),
        file('two', { start: 0.6, end: 1, min_key: keys[2], max_key: keys[3] })
      )
    ]
  });

  it('are the keys of files around the part', () => {
    const bucket = between(['a', 'c', 'm', 'z'], false);
    expect(endsOf(bucket, 0, 1)).toEqual(['a', 'z']);
    expect(endsOf(bucket, 0.1, 0.7)).toEqual(['a', 'z']);
    expect(endsOf(bucket, 0.3, 0.5)).toEqual(['c', 'm']);
    expect(endsOf({ to_scale: false, runs: [] }, 0, 1)).toEqual(['', '']);
  });

  it('are the numbers there if the axis is to scale', () => {
    const bucket = between(['-100', '100', '500', '900'], true);
    expect(endsOf(bucket, 0.25, 0.5)).toEqual(['150', '400']);
    expect(endsOf(bucket, 0, 1)).toEqual(['-100', '900']);
  });
});

describe('the nearest file of a run', () => {
  it('is the one that covers the place, else the closest', () => {
    const wide = run(
      5,
      file('a', { start: 0, end: 0.2 }),
      file('b', { start: 0.3, end: 0.9 }),
      file('c', { start: 0.95, end: 1 })
    );
    expect(nearestFile(wide, 0.35)).toBe(1);
    expect(nearestFile(wide, 0.22)).toBe(0);
    expect(nearestFile(wide, 0.99)).toBe(2);
  });
});
