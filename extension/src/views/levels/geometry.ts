import type { BucketValue, FileValue, RunValue } from '../../contract';

/** An interval of the key axis, 0 to 1, with the number of sorted runs that have keys there. */
export interface Stretch {
  start: number;
  end: number;
  runs: number;
}

const MAX_STRETCHES = 60;
/** A dip narrower than this is only the gap between the last key of a file and the first key of the next. */
const NARROW = 0.006;

/** Return where sorted runs share keys: adjacent intervals, each with at least one run. */
export function overlapOf(bucket: BucketValue): Stretch[] {
  const ranges = bucket.runs.flatMap(run => rangesOf(run));
  const starts = ranges.map(range => range[0]).sort(ascending);
  const ends = ranges.map(range => range[1]).sort(ascending);
  const positions = [...new Set([...starts, ...ends])].sort(ascending);
  const intervals: Stretch[] = [];
  let started = 0;
  let ended = 0;
  positions.forEach((position, index) => {
    while (starts[started] <= position) {
      started += 1;
    }
    while (ends[ended] <= position) {
      ended += 1;
    }
    if (index + 1 < positions.length) {
      extend(intervals, position, positions[index + 1], started - ended);
    }
  });
  return coarse(filled(intervals)).filter(item => item.runs > 0);
}

/** Return the intervals, filling dips that are too narrow to see. */
function filled(intervals: readonly Stretch[]): Stretch[] {
  const drawn: Stretch[] = [];
  intervals.forEach(({ start, end, runs }, index) => {
    const around = Math.min(
      intervals[index - 1]?.runs ?? 0,
      intervals[index + 1]?.runs ?? 0
    );
    const dip = end - start < NARROW && runs < around;
    extend(drawn, start, end, dip ? around : runs);
  });
  return drawn;
}

/** Return the key ranges of a run; files that share a position form one range. */
function rangesOf(run: RunValue): [number, number][] {
  const ranges: [number, number][] = [];
  for (const file of [...run.files].sort((a, b) => a.start - b.start)) {
    const last = ranges[ranges.length - 1];
    if (last && file.start <= last[1]) {
      last[1] = Math.max(last[1], file.end);
    } else {
      ranges.push([file.start, file.end]);
    }
  }
  return ranges;
}

function extend(
  intervals: Stretch[],
  start: number,
  end: number,
  runs: number
): void {
  const last = intervals[intervals.length - 1];
  if (last && last.runs === runs) {
    last.end = end;
  } else {
    intervals.push({ start, end, runs });
  }
}

/** Merge intervals until they can be distinguished; a merged interval has the largest number of runs of its parts. */
function coarse(intervals: Stretch[]): Stretch[] {
  if (intervals.length <= MAX_STRETCHES) {
    return intervals;
  }
  const most = new Array<number>(MAX_STRETCHES).fill(0);
  for (const { start, end, runs } of intervals) {
    const first = Math.min(
      Math.floor(start * MAX_STRETCHES),
      MAX_STRETCHES - 1
    );
    const last = Math.max(first, Math.ceil(end * MAX_STRETCHES) - 1);
    for (let cell = first; cell <= last; cell += 1) {
      most[cell] = Math.max(most[cell], runs);
    }
  }
  const merged: Stretch[] = [];
  most.forEach((runs, cell) =>
    extend(merged, cell / MAX_STRETCHES, (cell + 1) / MAX_STRETCHES, runs)
  );
  return merged;
}

/** Return the index of the file that contains a position on the axis, or of the nearest one. */
export function nearestFile(run: RunValue, position: number): number {
  let nearest = 0;
  run.files.forEach((file, index) => {
    if (distance(file, position) < distance(run.files[nearest], position)) {
      nearest = index;
    }
  });
  return nearest;
}

export function middleOf(file: FileValue): number {
  return (file.start + file.end) / 2;
}

function distance(file: FileValue, position: number): number {
  const outside = Math.max(file.start - position, position - file.end, 0);
  return outside + Math.abs(middleOf(file) - position) / 1e3;
}

function ascending(a: number, b: number): number {
  return a - b;
}
