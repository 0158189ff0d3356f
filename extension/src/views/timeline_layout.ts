import type { SnapshotValue, TagValue, TimelineValue } from '../contract';

/** Distances on the axis: one step per snapshot, or the time between snapshots. */
export type Spacing = 'snapshot' | 'time';

export interface Mark {
  snapshot: SnapshotValue;
  /** Pixels from the left end to the middle. */
  x: number;
  lane: number;
  /** Diameter in pixels: its area grows with the rows added or removed. */
  size: number;
  newSchema: boolean;
}

export interface Flag {
  tag: TagValue;
  x: number;
  /** The row of the flag, so that flags do not overlap. */
  line: number;
  /** Near the end of the axis, the flag extends to the left. */
  left: boolean;
}

export interface TimelineLayout {
  /** Oldest first. */
  marks: Mark[];
  lanes: string[];
  flags: Flag[];
  flagLines: number;
  /** Tags whose snapshot is expired or older than the page. */
  elsewhere: TagValue[];
  /** The width of their space at the left edge in pixels. */
  edge: number;
  /** The width of the axis in pixels. */
  width: number;
}

/** The order of lanes; unknown kinds follow. */
const KINDS = ['APPEND', 'OVERWRITE', 'COMPACT', 'ANALYZE'];
const MIN_STEP = 36;
const MAX_STEP = 96;
const MIN_DIAMETER = 18;
const MAX_DIAMETER = 32;
const LETTER = 7;
const MAX_FLAG = 120;
const FLAG_LINES = 3;
const EDGE_WIDTH = 150;

/** Return the positions of all elements of a timeline with `room` pixels for the marks. */
export function timelineLayout(
  timeline: TimelineValue,
  spacing: Spacing,
  room: number
): TimelineLayout {
  const snapshots = [...timeline.snapshots].reverse();
  const elsewhere = tagsElsewhere(timeline);
  const edge = elsewhere.length > 0 ? EDGE_WIDTH : 0;
  const inside = room - edge;
  const count = Math.max(snapshots.length, 1);
  const step = Math.min(Math.max(inside / count, MIN_STEP), MAX_STEP);
  const width =
    spacing === 'time' ? Math.max(inside, MIN_STEP * count) : step * count;
  const positions =
    spacing === 'time'
      ? timePlaces(snapshots, width)
      : snapshots.map((_, index) => (index + 0.5) * step);
  const lanes = lanesOf(snapshots);
  const largest = Math.max(1, ...snapshots.map(rowsOf));
  const marks = snapshots.map((snapshot, index) => ({
    snapshot,
    x: positions[index],
    lane: lanes.indexOf(snapshot.kind),
    size: Math.round(
      MIN_DIAMETER +
        (MAX_DIAMETER - MIN_DIAMETER) * Math.sqrt(rowsOf(snapshot) / largest)
    ),
    newSchema:
      index > 0 && snapshot.schema_id !== snapshots[index - 1].schema_id
  }));
  const drawnTags = timeline.tags.filter(tag => !elsewhere.includes(tag));
  const { flags, flagLines } = flagsOf(drawnTags, marks, width);
  return { marks, lanes, flags, flagLines, elsewhere, edge, width };
}

/** Return the points of the line of stored rows, in a box of `height` with zero at the bottom. */
export function rowsLine(
  marks: readonly Mark[],
  height: number
): { points: string; most: bigint } {
  let most = BigInt(0);
  for (const { snapshot } of marks) {
    const rows = BigInt(snapshot.rows_total ?? 0);
    most = rows > most ? rows : most;
  }
  const scale = most > 0 ? height / Number(most) : 0;
  const points = marks
    .filter(mark => mark.snapshot.rows_total !== null)
    .map(mark => {
      const y = height - Number(mark.snapshot.rows_total) * scale;
      return `${mark.x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(' ');
  return { points, most };
}

/** Return the mark that an arrow key moves to from the one at `at`, or null. */
export function markMove(
  layout: TimelineLayout,
  at: number,
  key: string
): Mark | null {
  const { marks } = layout;
  switch (key) {
    case 'ArrowLeft':
      return marks[at - 1] ?? null;
    case 'ArrowRight':
      return marks[at + 1] ?? null;
    case 'PageUp':
      return marks[Math.max(at - 10, 0)];
    case 'PageDown':
      return marks[Math.min(at + 10, marks.length - 1)];
    case 'Home':
      return marks[0];
    case 'End':
      return marks[marks.length - 1];
    case 'ArrowUp':
      return nearestInLane(marks, marks[at], -1);
    case 'ArrowDown':
      return nearestInLane(marks, marks[at], 1);
    default:
      return null;
  }
}

function nearestInLane(
  marks: readonly Mark[],
  from: Mark,
  step: number
): Mark | null {
  const lane = from.lane + step;
  return marks.reduce<Mark | null>((best, mark) => {
    if (mark.lane !== lane) {
      return best;
    }
    const nearer =
      best === null || Math.abs(mark.x - from.x) < Math.abs(best.x - from.x);
    return nearer ? mark : best;
  }, null);
}

function timePlaces(
  snapshots: readonly SnapshotValue[],
  width: number
): number[] {
  const times = snapshots.map(snapshot => Number(snapshot.time_millis));
  const first = Math.min(...times);
  const span = Math.max(...times) - first;
  const inside = width - MIN_STEP;
  return times.map(time =>
    span > 0 ? MIN_STEP / 2 + ((time - first) / span) * inside : width / 2
  );
}

function lanesOf(snapshots: readonly SnapshotValue[]): string[] {
  const kinds = new Set(snapshots.map(snapshot => snapshot.kind));
  const known = KINDS.filter(kind => kinds.has(kind));
  return [...known, ...[...kinds].filter(kind => !KINDS.includes(kind))];
}

/** Return the rows added or removed as a comparable number. */
function rowsOf(snapshot: SnapshotValue): number {
  return Math.abs(Number(snapshot.rows_added ?? 0));
}

function tagsElsewhere({ snapshots, tags }: TimelineValue): TagValue[] {
  const ids = new Set(snapshots.map(snapshot => snapshot.id));
  return tags.filter(tag => tag.expired || !ids.has(tag.snapshot));
}

function flagsOf(
  tags: readonly TagValue[],
  marks: readonly Mark[],
  width: number
): { flags: Flag[]; flagLines: number } {
  const positions = new Map(marks.map(mark => [mark.snapshot.id, mark.x]));
  const ends = new Array<number>(FLAG_LINES).fill(-Infinity);
  const flags = tags
    .map(tag => ({
      tag,
      x: positions.get(tag.snapshot) ?? 0,
      line: 0,
      left: false
    }))
    .sort((a, b) => a.x - b.x);
  for (const flag of flags) {
    const length = Math.min(flag.tag.name.length * LETTER + 14, MAX_FLAG);
    flag.left = flag.x + length > width && flag.x > length;
    const start = flag.left ? flag.x - length : flag.x;
    const free = ends.findIndex(end => end < start);
    // If all rows are taken, use the one that becomes free first.
    flag.line = free >= 0 ? free : ends.indexOf(Math.min(...ends));
    ends[flag.line] = start + length;
  }
  const flagLines = Math.max(0, ...flags.map(flag => flag.line + 1));
  return { flags, flagLines };
}
