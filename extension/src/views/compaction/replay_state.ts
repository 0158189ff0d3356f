import type { FileValue, ReplayStep, ReplayValue } from '../../contract';

/** A file and its lane; lane 0 is the newest run. */
export interface Placed {
  readonly lane: number;
  readonly file: FileValue;
}

/** The files of a bucket in one state of a replay. */
export interface ReplayState {
  readonly files: ReadonlyMap<number, Placed>;
  /** The level of each lane. */
  readonly lanes: readonly number[];
}

/** The states of a replay: state 0 is before the first step. Moving to a neighboring state applies only one step. */
export class ReplayStates {
  private at = 0;
  private readonly now: Set<number>;
  /** The maximum number of lanes of any state, so that lanes keep their height. */
  readonly most: number;

  constructor(readonly replay: ReplayValue) {
    this.now = new Set(replay.begin);
    this.most = this.mostLanes();
  }

  get count(): number {
    return this.replay.steps.length + 1;
  }

  /** Return the state after step `number`. */
  state(number: number): ReplayState {
    this.go(number);
    return placed(this.replay, this.now);
  }

  /** Return whether step `number` is a compaction. */
  isCompaction(number: number): boolean {
    const step = this.step(number);
    return step !== null && step.kind === 'COMPACT' && step.removed.length > 0;
  }

  /** Return the step that led to a state, or null for the first state. */
  step(number: number): ReplayStep | null {
    return this.replay.steps[number - 1] ?? null;
  }

  /** Return the next state in a direction that a compaction led to, or the first or last state if there is none. */
  compactionFrom(number: number, direction: 1 | -1): number {
    let next = number + direction;
    while (next > 0 && next < this.count - 1 && !this.isCompaction(next)) {
      next += direction;
    }
    return Math.min(Math.max(next, 0), this.count - 1);
  }

  private go(number: number): void {
    for (; this.at < number; this.at += 1) {
      const { removed, added } = this.replay.steps[this.at];
      removed.forEach(each => this.now.delete(each));
      added.forEach(each => this.now.add(each));
    }
    for (; this.at > number; this.at -= 1) {
      const { removed, added } = this.replay.steps[this.at - 1];
      added.forEach(each => this.now.delete(each));
      removed.forEach(each => this.now.add(each));
    }
  }

  private mostLanes(): number {
    const { files, begin, steps } = this.replay;
    const keyed = this.replay.keys.length > 0;
    const counts = new Map<number, number>();
    let newest = 0;
    let most = 1;
    const change = (index: number, by: number) => {
      const { level } = files[index];
      if (level === 0 && keyed) {
        newest += by;
      } else {
        counts.set(level, (counts.get(level) ?? 0) + by);
      }
    };
    const count = () => {
      const above = [...counts.values()].filter(each => each > 0).length;
      most = Math.max(most, newest + above);
    };
    begin.forEach(each => change(each, 1));
    count();
    for (const { removed, added } of steps) {
      removed.forEach(each => change(each, -1));
      added.forEach(each => change(each, 1));
      count();
    }
    return most;
  }
}

/** Return each file with its lane: first the files of level 0, newest first, then one lane for each level. */
function placed(replay: ReplayValue, now: ReadonlySet<number>): ReplayState {
  const keyed = replay.keys.length > 0;
  const newest: number[] = [];
  const levels = new Set<number>();
  for (const index of now) {
    const { level } = replay.files[index];
    if (level === 0 && keyed) {
      newest.push(index);
    } else {
      levels.add(level);
    }
  }
  // The files of a replay are in the order of its runs, newest first.
  newest.sort((a, b) => a - b);
  const above = [...levels].sort((a, b) => a - b);
  const lanes = [...newest.map(() => 0), ...above];
  const row = new Map(
    above.map((level, index) => [level, newest.length + index])
  );
  const rank = new Map(newest.map((index, lane) => [index, lane]));
  const files = new Map<number, Placed>();
  for (const index of now) {
    const file = replay.files[index];
    files.set(index, {
      file,
      lane: rank.get(index) ?? row.get(file.level) ?? 0
    });
  }
  return { files, lanes };
}
