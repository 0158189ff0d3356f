import type {
  HistoryMark,
  HistoryValue,
  Int64,
  TimelineValue
} from '../../contract';

/** The order of lanes; unknown commit kinds follow. */
const KINDS = ['APPEND', 'OVERWRITE', 'COMPACT', 'ANALYZE'];

/** The values that are drawn as curves. */
export const CURVES = ['rows', 'bytes', 'files', 'runs'] as const;
export type Curve = (typeof CURVES)[number];

/**
 * Converts between snapshot ids and positions on the axis, which are numbers: ids may exceed the largest safe integer.
 */
export class Positions {
  private readonly base: bigint;

  constructor(first: Int64) {
    const id = BigInt(first);
    this.base = id > BigInt(Number.MAX_SAFE_INTEGER) / 2n ? id : 0n;
  }

  of(id: Int64): number {
    return Number(BigInt(id) - this.base);
  }

  id(position: number): Int64 {
    return String(this.base + BigInt(position));
  }
}

/** Consecutive snapshots in bins, oldest first, as columns of numbers; NaN means unknown. */
export interface Series {
  /** The positions of the oldest and the newest snapshot. */
  readonly start: number;
  readonly end: number;
  /** The commit time of the oldest snapshot. */
  readonly since: number;
  /** The position and the time of the newest snapshot of each bin. */
  readonly ends: Float64Array;
  readonly times: Float64Array;
  readonly curves: Readonly<Record<Curve, Float64Array>>;
  /** The stored rows at the end of each bin, and the rows that its commits added, as exact numbers. */
  readonly rows: readonly (Int64 | null)[];
  readonly added: readonly (Int64 | null)[];
  /** The lanes, and the number of commits read so far in each lane, per bin. */
  readonly lanes: readonly string[];
  readonly counts: readonly Uint32Array[];
}

/**
 * A tag, branch, consumer or schema change at a snapshot; `time` is null if the snapshot is not on the axis. `expired`
 * is whether the table no longer has the snapshot.
 */
export interface Pin {
  readonly kind: HistoryMark['kind'];
  readonly name: string;
  readonly id: Int64;
  readonly position: number;
  readonly time: number | null;
  readonly expired: boolean;
}

/** Return the series in the server's answer, or null if there are no snapshots. */
export function seriesOf(
  value: HistoryValue,
  positions: Positions
): Series | null {
  const { bins, start, end } = value;
  if (start === null || end === null) {
    return null;
  }
  const byLane: Record<string, readonly number[]> = {
    APPEND: bins.appends,
    OVERWRITE: bins.overwrites,
    COMPACT: bins.compacts,
    ANALYZE: bins.analyzes
  };
  const lanes = KINDS.filter(kind => byLane[kind].some(count => count > 0));
  const since = numberOf(value.since_millis);
  return {
    start: positions.of(start),
    end: positions.of(end),
    since,
    ends: Float64Array.from(bins.ids, id => positions.of(id)),
    times: rising(bins.times.map(numberOf), since),
    curves: {
      rows: columnOf(bins.rows),
      bytes: columnOf(bins.bytes),
      files: columnOf(bins.files),
      runs: columnOf(bins.runs)
    },
    rows: bins.rows,
    added: bins.added,
    lanes,
    counts: lanes.map(kind => Uint32Array.from(byLane[kind]))
  };
}

/** Return the series of the snapshots of a timeline, with one bin for each, or null if there are none. */
export function seriesOfTimeline(
  { snapshots }: TimelineValue,
  positions: Positions
): Series | null {
  const all = [...snapshots].reverse();
  if (all.length === 0) {
    return null;
  }
  const lanes = lanesOf(all.map(({ kind }) => kind));
  const ends = Float64Array.from(all, ({ id }) => positions.of(id));
  const unknown = new Float64Array(all.length).fill(NaN);
  const since = Number(all[0].time_millis);
  return {
    start: ends[0],
    end: ends[ends.length - 1],
    since,
    ends,
    times: rising(
      all.map(({ time_millis }) => Number(time_millis)),
      since
    ),
    curves: {
      rows: columnOf(all.map(({ rows_total }) => rows_total)),
      bytes: unknown,
      files: unknown,
      runs: unknown
    },
    rows: all.map(({ rows_total }) => rows_total),
    added: all.map(({ rows_added }) => rows_added),
    lanes,
    counts: lanes.map(lane =>
      Uint32Array.from(all, ({ kind }) => Number(kind === lane))
    )
  };
}

/** Return the tags and schema changes of a timeline. */
export function pinsOfTimeline(
  { snapshots, tags }: TimelineValue,
  positions: Positions
): Pin[] {
  const times = new Map(snapshots.map(each => [each.id, each.time_millis]));
  const schemas = snapshots.filter(
    (each, index) =>
      index + 1 < snapshots.length &&
      each.schema_id !== snapshots[index + 1].schema_id
  );
  const pin = (kind: Pin['kind'], name: string, id: Int64, expired = false) => {
    const time = expired ? undefined : times.get(id);
    const position = positions.of(id);
    return { kind, name, id, position, time: Number(time ?? NaN), expired };
  };
  return [
    ...tags.map(tag => pin('tag', tag.name, tag.snapshot, tag.expired)),
    ...schemas.map(each => pin('schema', each.schema_id, each.id))
  ].map(each => ({
    ...each,
    time: Number.isNaN(each.time) ? null : each.time
  }));
}

export function pinsOf(
  marks: readonly HistoryMark[],
  positions: Positions
): Pin[] {
  return marks.map(({ kind, name, snapshot, time_millis }) => ({
    kind,
    name,
    id: snapshot,
    position: positions.of(snapshot),
    time: time_millis === null ? null : Number(time_millis),
    expired: time_millis === null
  }));
}

/** Return the commit kinds in the order of their lanes. */
export function lanesOf(kinds: Iterable<string>): string[] {
  const all = new Set(kinds);
  return [
    ...KINDS.filter(kind => all.has(kind)),
    ...[...all].filter(kind => !KINDS.includes(kind))
  ];
}

/** Return the bin that contains a position, or the nearest bin if the position is outside of the series. */
export function binAt({ ends }: Series, position: number): number {
  return Math.min(lowerBound(ends, position), ends.length - 1);
}

/** Return the first bin that ends at a time or later. */
export function binAtTime({ times }: Series, time: number): number {
  return Math.min(lowerBound(times, time), times.length - 1);
}

/** Return the position at which a bin begins: the one after the end of the previous bin. */
export function beginOf({ ends, start }: Series, bin: number): number {
  return bin === 0 ? start : ends[bin - 1] + 1;
}

function lowerBound(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function numberOf(value: Int64 | null): number {
  return value === null ? NaN : Number(value);
}

function columnOf(values: readonly (Int64 | number | null)[]): Float64Array {
  return Float64Array.from(values, value =>
    value === null ? NaN : Number(value)
  );
}

/** Return times that never decrease: the clocks of writers differ, and a missing snapshot has no time. */
function rising(times: readonly number[], since: number): Float64Array {
  let latest = since;
  return Float64Array.from(times, time => {
    latest = time > latest || Number.isNaN(latest) ? time : latest;
    return latest;
  });
}
