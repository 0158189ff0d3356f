import type { Int64 } from '../../contract';
import { optionalCount } from '../details';
import type { Texts } from '../texts';
import type { Piece } from './painter';
import type { Pin, Positions } from './series';

/** Commit kinds are shown by their first letters, except ANALYZE, which would be a second A. */
const LETTERS: Record<string, string> = { ANALYZE: 'N' };
const KNOWN = ['APPEND', 'COMPACT', 'OVERWRITE', 'ANALYZE'];
const MIN_DIAMETER = 18;
const MAX_DIAMETER = 28;
const LETTER_WIDTH = 6.5;

/** A snapshot that is drawn as an element. */
export interface Mark {
  readonly position: number;
  readonly id: Int64;
  /** Null while the facts are not known. */
  readonly kind: string | null;
  readonly time: number;
  readonly added: Int64 | null;
  readonly total: Int64 | null;
}

/** The state with which the marks are drawn. */
export interface MarkState {
  readonly selected: Int64 | null;
  readonly stop: Int64 | null;
  readonly fresh: ReadonlySet<Int64>;
  readonly pins: ReadonlyMap<number, readonly Pin[]>;
  readonly lanes: readonly string[];
  readonly laneHeight: number;
  readonly width: number;
  /** Return what a commit changed, or null if it is not known. */
  changesOf(id: Int64): string | null;
  x(mark: Mark): number;
}

export function letterOf(kind: string): string {
  return LETTERS[kind] ?? kind.charAt(0);
}

/** Return the snapshots in bins that contain a single snapshot each. */
export function marksIn(
  pieces: readonly Piece[],
  positions: Positions
): Mark[] {
  const marks: Mark[] = [];
  for (const { series, from, to } of pieces) {
    for (let bin = from; bin < to; bin += 1) {
      const lane = series.counts.findIndex(counts => counts[bin] > 0);
      if (lane >= 0) {
        const position = series.ends[bin];
        marks.push({
          position,
          id: positions.id(position),
          kind: series.lanes[lane],
          time: series.times[bin],
          added: series.added[bin],
          total: series.rows[bin]
        });
      }
    }
  }
  return marks;
}

/** Return how many rows a snapshot added or removed. */
function changedBy({ added }: Mark): number {
  return Math.abs(Number(added ?? 0));
}

/** The elements of the visible snapshots; each element is kept while it is drawn, so that it keeps the focus. */
export class Marks {
  private readonly elements = new Map<Int64, HTMLElement>();

  constructor(private readonly parent: HTMLElement) {}

  draw(marks: readonly Mark[], state: MarkState, texts: Texts): void {
    const wanted = new Set(marks.map(({ id }) => id));
    for (const [id, element] of this.elements) {
      if (!wanted.has(id)) {
        element.remove();
        this.elements.delete(id);
      }
    }
    const most = Math.max(1, ...marks.map(changedBy));
    const labeled = idsWithRoom(marks, state);
    let next = this.parent.firstElementChild;
    for (const mark of marks) {
      const element = this.elements.get(mark.id) ?? this.create(mark.id);
      if (element === next) {
        next = next.nextElementSibling;
      } else {
        this.parent.insertBefore(element, next);
      }
      place(element, mark, most, state);
      describe(element, mark, state, labeled.has(mark.id), texts);
    }
  }

  element(id: Int64): HTMLElement | null {
    return this.elements.get(id) ?? null;
  }

  private create(id: Int64): HTMLElement {
    const element = this.parent.ownerDocument.createElement('div');
    element.setAttribute('role', 'option');
    element.dataset.focus = `snapshot:${id}`;
    element.dataset.snapshot = id;
    this.elements.set(id, element);
    return element;
  }
}

function place(
  element: HTMLElement,
  mark: Mark,
  most: number,
  state: MarkState
): void {
  const lane = Math.max(
    mark.kind === null ? 0 : state.lanes.indexOf(mark.kind),
    0
  );
  const size = Math.round(
    MIN_DIAMETER +
      (MAX_DIAMETER - MIN_DIAMETER) * Math.sqrt(changedBy(mark) / most)
  );
  const x = state.x(mark) - size / 2;
  // Marks are in the upper part of a lane, with room for the id below.
  const y = (lane + 0.5) * state.laneHeight - 6 - size / 2;
  const { style } = element;
  const length = `${size}px`;
  if (style.width !== length) {
    style.width = style.height = length;
  }
  style.transform = `translate(${x.toFixed(1)}px,${y.toFixed(1)}px)`;
}

function describe(
  element: HTMLElement,
  mark: Mark,
  state: MarkState,
  labeled: boolean,
  texts: Texts
): void {
  const { id, kind } = mark;
  const selected = id === state.selected;
  const fresh = state.fresh.has(id);
  const pins = state.pins.get(mark.position) ?? [];
  const changes = state.changesOf(id);
  const key = [
    texts.zone,
    kind,
    mark.total,
    mark.added,
    changes,
    selected,
    id === state.stop,
    fresh,
    labeled,
    ...pins.map(pin => pin.kind + pin.name)
  ].join('\n');
  if (element.dataset.drawn === key) {
    return;
  }
  element.dataset.drawn = key;
  element.className = `pwv-mark pwv-kind-${kindClass(kind)}${fresh ? ' pwv-new' : ''}`;
  element.textContent = kind === null ? '' : letterOf(kind);
  element.tabIndex = id === state.stop ? 0 : -1;
  element.setAttribute('aria-selected', String(selected));
  element.setAttribute(
    'aria-label',
    labelOf(mark, changes ?? changeOf(mark, texts), pins, fresh, texts)
  );
  if (labeled) {
    const label = element.ownerDocument.createElement('small');
    label.setAttribute('aria-hidden', 'true');
    label.textContent = id;
    element.append(label);
  }
}

function kindClass(kind: string | null): string {
  return kind !== null && KNOWN.includes(kind) ? kind.toLowerCase() : 'other';
}

/** Return how the number of stored rows changed, which the bins of the history contain. */
function changeOf({ added }: Mark, texts: Texts): string {
  return added === null
    ? ''
    : texts.format('storedRowsChange', {
        change: texts.change(added),
        n: BigInt(added)
      });
}

function labelOf(
  mark: Mark,
  changes: string,
  pins: readonly Pin[],
  fresh: boolean,
  texts: Texts
): string {
  if (mark.kind === null) {
    return `${texts.format('snapshot')} ${mark.id}`;
  }
  const facts = [
    texts.format('snapshotLabel', {
      id: mark.id,
      kind: mark.kind,
      time: texts.zoned(String(mark.time)),
      changes,
      total: optionalCount(mark.total, texts)
    })
  ];
  const tags = pins.filter(pin => pin.kind === 'tag');
  if (tags.length > 0) {
    const names = tags.map(pin => pin.name).join(', ');
    facts.push(texts.format('taggedWith', { names }));
  }
  if (pins.some(pin => pin.kind === 'schema')) {
    facts.push(texts.format('schemaChanged'));
  }
  if (fresh) {
    facts.push(texts.format('newFile'));
  }
  return facts.join(', ');
}

/**
 * Return the ids that have room below their marks: they must not be cut off or reach below another mark in the lane.
 */
function idsWithRoom(
  marks: readonly Mark[],
  state: MarkState
): ReadonlySet<Int64> {
  const free = new Set<Int64>();
  const byLane = new Map<string | null, Mark[]>();
  for (const mark of marks) {
    const lane = byLane.get(mark.kind) ?? [];
    lane.push(mark);
    byLane.set(mark.kind, lane);
  }
  for (const lane of byLane.values()) {
    lane.forEach((mark, index) => {
      const x = state.x(mark);
      const half = (mark.id.length * LETTER_WIDTH) / 2 + 2;
      const near = [lane[index - 1], lane[index + 1]].some(
        other =>
          other !== undefined &&
          Math.abs(state.x(other) - x) < half + Math.max(half, 10)
      );
      const isCut = x < half || x > state.width - half;
      if (!near && !isCut) {
        free.add(mark.id);
      }
    });
  }
  return free;
}
