import type { BucketValue, FileValue, RunValue } from '../contract';

/** A stretch of the key axis, 0 to 1, with the number of sorted runs that have keys there. */
export interface Stretch {
  start: number;
  end: number;
  runs: number;
}

export interface Overlap {
  /** Neighbouring stretches, each with at least one run. */
  stretches: Stretch[];
  /** The most runs that share a key: what a read merges at once. */
  most: number;
}

const MOST_STRETCHES = 60;
/** A dip narrower than this is the step from one file's last key to the next one's first. */
const NARROW = 0.006;
const SIZE_STEPS = 5;
const STEP_FACTOR = 4;

/** Where sorted runs share keys. */
export function overlapOf(bucket: BucketValue): Overlap {
  const ranges = bucket.runs.flatMap(run => rangesOf(run));
  const starts = ranges.map(range => range[0]).sort(ascending);
  const ends = ranges.map(range => range[1]).sort(ascending);
  const places = [...new Set([...starts, ...ends])].sort(ascending);
  const stretches: Stretch[] = [];
  let most = 0;
  let started = 0;
  let ended = 0;
  places.forEach((place, index) => {
    while (starts[started] <= place) {
      started += 1;
    }
    // Both ends of a range belong to it: it ends after this place.
    most = Math.max(most, started - ended);
    while (ends[ended] <= place) {
      ended += 1;
    }
    if (index + 1 < places.length) {
      extend(stretches, place, places[index + 1], started - ended);
    }
  });
  const drawn = coarse(filled(stretches)).filter(item => item.runs > 0);
  return { stretches: drawn, most };
}

/** The stretches without dips that are too narrow to see. */
function filled(stretches: readonly Stretch[]): Stretch[] {
  const drawn: Stretch[] = [];
  stretches.forEach(({ start, end, runs }, index) => {
    const around = Math.min(
      stretches[index - 1]?.runs ?? 0,
      stretches[index + 1]?.runs ?? 0
    );
    const dip = end - start < NARROW && runs < around;
    extend(drawn, start, end, dip ? around : runs);
  });
  return drawn;
}

/** The key ranges of a run; files whose ends fall on one place are one range. */
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
  stretches: Stretch[],
  start: number,
  end: number,
  runs: number
): void {
  const last = stretches[stretches.length - 1];
  if (last && last.runs === runs) {
    last.end = end;
  } else {
    stretches.push({ start, end, runs });
  }
}

/** At most so many stretches as can be told apart; each keeps its greatest number. */
function coarse(stretches: Stretch[]): Stretch[] {
  if (stretches.length <= MOST_STRETCHES) {
    return stretches;
  }
  const most = new Array<number>(MOST_STRETCHES).fill(0);
  for (const { start, end, runs } of stretches) {
    const first = Math.min(
      Math.floor(start * MOST_STRETCHES),
      MOST_STRETCHES - 1
    );
    const last = Math.max(first, Math.ceil(end * MOST_STRETCHES) - 1);
    for (let cell = first; cell <= last; cell += 1) {
      most[cell] = Math.max(most[cell], runs);
    }
  }
  const merged: Stretch[] = [];
  most.forEach((runs, cell) =>
    extend(merged, cell / MOST_STRETCHES, (cell + 1) / MOST_STRETCHES, runs)
  );
  return merged;
}

/** Heights of bars: 1 to 5, each step four times the bytes of the one before. */
export interface SizeSteps {
  of(file: FileValue): number;
  /** The most bytes of each step that is in use, by step. */
  bounds: Map<number, number>;
}

export function sizeSteps(files: readonly FileValue[]): SizeSteps {
  const top = files.reduce((most, file) => Math.max(most, powerOf(file)), 0);
  const of = (file: FileValue) =>
    Math.max(1, SIZE_STEPS - (top - powerOf(file)));
  const used = [...new Set(files.map(of))].sort(ascending);
  const bound = (step: number) => STEP_FACTOR ** (top - SIZE_STEPS + step);
  return { of, bounds: new Map(used.map(step => [step, bound(step)])) };
}

/** The least power of the step factor that is not below the bytes. */
function powerOf(file: FileValue): number {
  let power = 0;
  while (STEP_FACTOR ** power < Number(file.size)) {
    power += 1;
  }
  return power;
}

/** The index of the file whose middle is nearest to a place on the axis. */
export function nearestFile(run: RunValue, place: number): number {
  let nearest = 0;
  run.files.forEach((file, index) => {
    if (distance(file, place) < distance(run.files[nearest], place)) {
      nearest = index;
    }
  });
  return nearest;
}

export function middleOf(file: FileValue): number {
  return (file.start + file.end) / 2;
}

function distance(file: FileValue, place: number): number {
  const outside = Math.max(file.start - place, place - file.end, 0);
  return outside + Math.abs(middleOf(file) - place) / 1e3;
}

function ascending(a: number, b: number): number {
  return a - b;
}
