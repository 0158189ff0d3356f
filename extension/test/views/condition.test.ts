import { describe, expect, it } from 'vitest';
import { conditionOf, limitsOf } from '../../src/views/condition';
import { bucket, levels } from './values';

const { thresholds } = levels([]);
const append = { ...thresholds, compaction_runs: null, stop_runs: null };
const of = (facts: Parameters<typeof bucket>[3]) => bucket(':0', '', 0, facts);

describe('the condition of a bucket', () => {
  it('follows the triggers of its table, not the other buckets', () => {
    const runs = (count: number) =>
      conditionOf(of({ runs: count }), 'runs', thresholds);
    expect([1, 5, 6, 8, 9].map(runs)).toEqual([
      'good',
      'good',
      'fair',
      'fair',
      'poor'
    ]);
  });

  it('allows the files that its bytes fill', () => {
    const files = (count: number, size: string) =>
      conditionOf(of({ files: count, size }), 'files', thresholds);
    expect(files(20, '20000000')).toBe('good');
    expect(files(20, '2000')).toBe('poor');
  });

  it('counts small files of tables without keys', () => {
    const files = (count: number, size: string) =>
      conditionOf(of({ files: count, size }), 'files', append);
    expect(files(4, '100')).toBe('good');
    expect(files(5, '100')).toBe('fair');
    expect(files(50, '100')).toBe('poor');
    expect(files(50, '1000000')).toBe('good');
  });

  it('is that of its deletes', () => {
    const deletes = (count: string) =>
      conditionOf(of({ rows: '100', deletes: count }), 'deletes', thresholds);
    expect(['20', '21'].map(deletes)).toEqual(['good', 'fair']);
  });

  it('does not depend on bytes', () => {
    expect(limitsOf(of({}), 'size', thresholds)).toBeNull();
  });
});
