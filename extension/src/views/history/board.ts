import type { Int64, SnapshotValue, TimelineValue } from '../../contract';
import type { TableRead } from '../stage';
import type { Texts } from '../texts';
import { HistoryFrame, type FrameState } from './frame';
import { handleGestures } from './gestures';
import { HistoryLoader } from './loader';
import type { Mark } from './marks';
import { stepFrom } from './moves';
import { binAt, type Series } from './series';
import { Viewport } from './viewport';

/** The view that contains a board. */
export interface BoardHost {
  readonly read: TableRead | undefined;
  /** Called when the board must be redrawn. */
  changed(): void;
  /** Called when a different part is visible and nothing else has changed. */
  moved(): void;
  /** Called when the pointer rests on a snapshot that has no mark. */
  pointed(id: Int64): void;
  /** Called when a snapshot is chosen; with `isEnd`, as the other end of a comparison. */
  chosen(id: Int64, isEnd: boolean): void;
}

export type Tool = 'zoom-in' | 'zoom-out' | 'newest' | 'whole';

const ZOOM = 1.5;
const POINT_DELAY_MILLIS = 60;

/** The history of one table: the data read so far, the visible part, and the elements that show it. */
export class HistoryBoard {
  readonly loader: HistoryLoader;
  readonly viewport = new Viewport();
  /** The most recently focused snapshot. */
  focused: Int64 | null = null;
  /** The snapshot that is the tab stop. */
  private stop: Int64 | null = null;
  private frame: HistoryFrame | null = null;
  private endGestures: (() => void) | null = null;
  private selected: Int64 | null = null;
  private fresh: ReadonlySet<Int64> = new Set();
  private pointing: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly parent: HTMLElement,
    private readonly host: BoardHost
  ) {
    this.loader = new HistoryLoader(host.read, () => host.changed());
  }

  dispose(): void {
    clearTimeout(this.pointing);
    this.loader.dispose();
    this.dropFrame();
  }

  update(timeline: TimelineValue, fresh: ReadonlySet<Int64>): void {
    this.fresh = fresh;
    this.loader.update(timeline);
  }

  /** Mark the snapshot that the page shows. */
  select(id: Int64 | null): void {
    this.selected = id;
  }

  draw(texts: Texts): void {
    const { loader, viewport } = this;
    const state = this.frameState();
    if (state && this.frame) {
      loader.need(...viewport.snapshots);
      this.frame.draw(state, texts);
    } else {
      this.dropFrame();
    }
  }

  /** Update the texts about the visible part. */
  describe(texts: Texts): void {
    const state = this.frameState();
    if (state) {
      this.frame?.describe(state, texts);
    }
  }

  /** Measure the available width; return whether it has changed. */
  measure(): boolean {
    return this.frame?.measure() ?? false;
  }

  useTool(tool: Tool): void {
    const { viewport, loader, stop } = this;
    const at = stop === null ? null : (loader.positions?.of(stop) ?? null);
    switch (tool) {
      case 'zoom-in':
        viewport.zoom(1 / ZOOM, at);
        break;
      case 'zoom-out':
        viewport.zoom(ZOOM, at);
        break;
      case 'newest':
        viewport.showNewest();
        break;
      case 'whole':
        viewport.show(viewport.whole);
    }
    this.host.moved();
  }

  /** Move to a snapshot unless it is visible. */
  reveal(id: Int64): void {
    const { positions } = this.loader;
    if (positions) {
      this.viewport.reveal(positions.of(id));
    }
  }

  /** Keep the visible part unchanged, and make a snapshot the tab stop. */
  hold(id: Int64): void {
    this.viewport.hold();
    this.focused = id;
  }

  /** Return the snapshot that a key moves to from the given one, or null if the key does not move. */
  step(id: Int64, key: string): Int64 | null {
    const { loader, frame } = this;
    const { positions, whole } = loader;
    if (!positions || !whole || !frame) {
      return null;
    }
    const next = stepFrom(positions.of(id), key, whole, frame.drawn);
    return next === null ? null : positions.id(next);
  }

  element(id: Int64): HTMLElement | null {
    return this.frame?.marks.element(id) ?? null;
  }

  /** Whether a snapshot is the first one with its schema. */
  hasNewSchema({ id }: SnapshotValue): boolean {
    return this.loader.pins.some(pin => pin.kind === 'schema' && pin.id === id);
  }

  private frameState(): FrameState | null {
    const { loader, viewport, fresh, selected } = this;
    const { positions, whole, part, pins } = loader;
    if (!positions || !whole) {
      return null;
    }
    this.frame ??= this.newFrame();
    const at = selected === null ? null : positions.of(selected);
    viewport.fit(whole, part, this.frame.width, at);
    const { range, spacing } = viewport;
    const stop = (this.stop = this.stopOf(whole));
    const always = [...new Set([stop, selected])].flatMap(id =>
      id === null ? [] : (this.markOf(id) ?? [])
    );
    return {
      ...{ positions, whole, part, pins, spacing, range },
      ...{ selected, stop, fresh, always },
      changesOf: id => loader.knownFacts(id)?.figures?.text ?? null
    };
  }

  private newFrame(): HistoryFrame {
    const { viewport, host } = this;
    const frame = new HistoryFrame(this.parent, () => host.changed());
    frame.measure();
    this.endGestures = handleGestures(frame.map, frame.plot, {
      range: () => viewport.range,
      scale: () => viewport.scale,
      mapScale: () => viewport.mapScale,
      show: range => {
        viewport.show(range);
        host.moved();
      },
      showAll: () => this.useTool('whole'),
      point: place => this.pointSoon(viewport.snapshotAt(place)),
      choose: (place, isEnd) => {
        const id = this.idOf(viewport.snapshotAt(place));
        if (id !== null) {
          host.chosen(id, isEnd);
        }
      }
    });
    return frame;
  }

  private dropFrame(): void {
    this.endGestures?.();
    this.frame?.dispose();
    this.frame = this.endGestures = null;
  }

  private pointSoon(position: number): void {
    clearTimeout(this.pointing);
    this.pointing = setTimeout(() => {
      const id = this.idOf(position);
      if (id !== null) {
        this.host.pointed(id);
      }
    }, POINT_DELAY_MILLIS);
  }

  private idOf(position: number): Int64 | null {
    return this.loader.positions?.id(position) ?? null;
  }

  /** Return the tab stop: the most recently focused snapshot, else the selected one, else the newest. */
  private stopOf(series: Series): Int64 | null {
    const { positions } = this.loader;
    const exists = (id: Int64 | null) => {
      const position = id && positions ? positions.of(id) : NaN;
      return position >= series.start && position <= series.end;
    };
    return [this.focused, this.selected].find(exists) ?? this.idOf(series.end);
  }

  /** Return a mark for a snapshot that may not be drawn as one, or null if the history does not contain it. */
  private markOf(id: Int64): Mark | null {
    const { whole, part, positions } = this.loader;
    const position = positions?.of(id) ?? NaN;
    const inPart = part && position >= part.start && position <= part.end;
    const series = inPart ? part : whole;
    if (!series || !(position >= series.start && position <= series.end)) {
      return null;
    }
    const facts = this.loader.factsOf(id);
    return {
      position,
      id,
      kind: facts?.kind ?? null,
      time: Number(facts?.time_millis ?? series.times[binAt(series, position)]),
      added: facts?.rows_added ?? null,
      total: facts?.rows_total ?? null
    };
  }
}
