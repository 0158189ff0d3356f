import { beginOf, binAt, binAtTime, type Series } from './series';

/** The spacing of snapshots on the axis: one step per snapshot, or the time between snapshots. */
export type Spacing = 'snapshot' | 'time';

/** A part of the axis, in positions of snapshots or in milliseconds. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The smallest visible range: a few snapshots, or milliseconds. */
const LEAST = { snapshot: 4, time: 2000 };
/** The maximum number of pixels per snapshot: a few snapshots are not stretched over the whole width. */
const MAX_STEP = 96;

/** Return the range of the whole axis. With one step per snapshot, a few snapshots leave its end empty. */
export function wholeRange(
  series: Series,
  spacing: Spacing,
  width: number
): Range {
  if (spacing === 'snapshot') {
    const from = series.start;
    return { from, to: Math.max(series.end, from + width / MAX_STEP - 1) };
  }
  const last = series.times[series.times.length - 1];
  return { from: series.since, to: Math.max(last, series.since + LEAST.time) };
}

/** Return the position of a snapshot on the axis: the middle of its step, or its time. */
export function placeOf(
  series: Series,
  spacing: Spacing,
  position: number
): number {
  return spacing === 'snapshot'
    ? position
    : series.times[binAt(series, position)];
}

/** Return the positions of the first and last snapshot in a range, limited to the series. */
export function snapshotsIn(
  series: Series,
  spacing: Spacing,
  { from, to }: Range
): [number, number] {
  const clamp = (position: number) =>
    Math.min(Math.max(position, series.start), series.end);
  if (spacing === 'snapshot') {
    return [clamp(Math.ceil(from)), clamp(Math.floor(to))];
  }
  return [
    beginOf(series, binAtTime(series, from)),
    clamp(series.ends[binAtTime(series, to)])
  ];
}

/** Return a range limited to the axis and to the smallest visible range. */
export function within(range: Range, whole: Range, spacing: Spacing): Range {
  const span = Math.min(
    Math.max(range.to - range.from, LEAST[spacing]),
    whole.to - whole.from
  );
  const middle = (range.from + range.to) / 2;
  const from = Math.min(
    Math.max(middle - span / 2, whole.from),
    whole.to - span
  );
  return { from, to: from + span };
}

/** Return a range that is `factor` times as wide and keeps `at` in place. */
export function zoomed({ from, to }: Range, factor: number, at: number): Range {
  return { from: at - (at - from) * factor, to: at + (to - at) * factor };
}

export function moved({ from, to }: Range, by: number): Range {
  return { from: from + by, to: to + by };
}

/** Return a range of the same width, centered at a position. */
export function centered({ from, to }: Range, at: number): Range {
  return moved({ from, to }, at - (from + to) / 2);
}

/** The margin at both ends of an axis, in pixels, with room for a mark at the end of the range. */
export const MARGIN_PIXELS = 28;

/** Converts between the axis and pixels. */
export class Scale {
  constructor(
    readonly range: Range,
    readonly width: number
  ) {}

  /** The range including the margins at both ends. */
  get visible(): Range {
    return { from: this.place(0), to: this.place(this.width) };
  }

  x(place: number): number {
    const { from, to } = this.range;
    return MARGIN_PIXELS + ((place - from) / (to - from)) * this.inner;
  }

  place(x: number): number {
    const { from, to } = this.range;
    return from + ((x - MARGIN_PIXELS) / this.inner) * (to - from);
  }

  /** Return the distance on the axis for a number of pixels. */
  distance(pixels: number): number {
    return (pixels / this.inner) * (this.range.to - this.range.from);
  }

  private get inner(): number {
    return Math.max(this.width - 2 * MARGIN_PIXELS, 1);
  }
}
