import { describe, expect, it } from 'vitest';
import type { ReplayValue } from '../../src/contract';
import { ReplayStates } from '../../src/views/compaction/replay_state';
import { file } from './values';

describe('the states of a replay', () => {
  const files = [
    file('c', { level: 0 }),
    file('b', { level: 0 }),
    file('d', { level: 5 }),
    file('a', { level: 5 })
  ];
  const step = (
    snapshot: string,
    kind: string,
    removed: number[],
    added: number[]
  ) => ({
    snapshot,
    kind,
    time_millis: '0',
    removed,
    added
  });
  const replay: ReplayValue = {
    table: 't',
    bucket_id: ':0',
    partition: '',
    bucket: 0,
    to_scale: true,
    keys: ['id'],
    files,
    begin: [3],
    steps: [
      step('2', 'APPEND', [], [1]),
      step('3', 'APPEND', [], [0]),
      step('4', 'COMPACT', [0, 1, 3], [2])
    ],
    older: false
  };
  const names = (states: ReplayStates, at: number) =>
    [...states.state(at).files.values()].map(each => each.file.name).sort();

  it('goes forward, and back', () => {
    const states = new ReplayStates(replay);
    expect(names(states, 3)).toEqual(['d']);
    expect(names(states, 1)).toEqual(['a', 'b']);
    expect(names(states, 2)).toEqual(['a', 'b', 'c']);
    expect(names(states, 0)).toEqual(['a']);
    expect(states.most).toBe(3);
  });

  it('has a lane for each new file, the newest first, and for each level', () => {
    const state = new ReplayStates(replay).state(2);
    expect(state.lanes).toEqual([0, 0, 5]);
    expect(state.files.get(0)?.lane).toBe(0);
    expect(state.files.get(3)?.lane).toBe(2);
  });

  it('jumps from compaction to compaction, and stops at the ends', () => {
    const states = new ReplayStates(replay);
    expect(states.compactionFrom(0, 1)).toBe(3);
    expect(states.compactionFrom(3, 1)).toBe(3);
    expect(states.compactionFrom(3, -1)).toBe(0);
  });
});
