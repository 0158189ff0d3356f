import type {
  HistoryValue,
  Int64,
  SearchValue,
  SnapshotValue,
  TimelineValue
} from '../../contract';
import type { TableRead } from '../stage';
import {
  pinsOf,
  pinsOfTimeline,
  Positions,
  seriesOf,
  seriesOfTimeline,
  type Pin,
  type Series
} from './series';

/** The number of bins for a part of the history: it covers the visible part and as much again on both sides. */
const BINS = 1000;
const PAUSE_MILLIS = 30;
const DETAIL_DELAY_MILLIS = 60;
const MAX_FACTS = 500;
export const TABLE_ROWS = 200;

/**
 * The history of one table, as far as it was read: the whole history in bins, the visible part in finer bins, and facts
 * of single snapshots. Without a server, it is limited to the value of the timeline.
 */
export class HistoryLoader {
  positions: Positions | null = null;
  whole: Series | null = null;
  part: Series | null = null;
  pins: readonly Pin[] = [];
  /** The number of snapshots that were read, out of the total; null if all were read. */
  progress: { readonly read: number; readonly total: number } | null = null;
  /** Whether reading the whole history has ended, with or without success. */
  isComplete = false;
  /** Why the history cannot be read. */
  readError: string | null = null;

  /** Facts by snapshot id. */
  private readonly facts = new Map<Int64, SnapshotValue>();
  /**
   * The ids whose facts include the changes of the commit, as far as these can be read. Where requests take long, the
   * timeline is read without changes, and those of a snapshot are read when it is shown.
   */
  private readonly withChanges = new Set<Int64>();
  private readonly pending = new Set<Int64>();
  private readonly reads = new Map<string, AbortController>();
  private wanted: { start: number; end: number } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly read: TableRead | undefined,
    private readonly changed: () => void
  ) {}

  get isLive(): boolean {
    return this.read !== undefined;
  }

  /** Take a new value of the timeline, and reload the history. */
  update(timeline: TimelineValue): void {
    const [newest] = timeline.snapshots;
    if (!newest) {
      this.whole = this.part = null;
      this.pins = [];
      return;
    }
    this.positions ??= new Positions(newest.id);
    this.facts.clear();
    this.withChanges.clear();
    this.pending.clear();
    timeline.snapshots.forEach(each => this.take(each, each.figures !== null));
    const { whole, listed } = timeline;
    if (!this.read && whole) {
      this.takeWhole(whole);
      this.part = listed ? seriesOf(listed, this.positions) : null;
    } else if (!this.read || this.whole === null) {
      this.whole = seriesOfTimeline(timeline, this.positions);
      this.part = null;
      this.pins = pinsOfTimeline(timeline, this.positions);
    }
    this.isComplete = !this.read;
    void this.readWhole();
    this.readPart();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.reads.forEach(each => each.abort());
  }

  /** Read finer bins for the visible snapshots if they are needed. */
  need(start: number, end: number): void {
    const { whole, part } = this;
    const reach = end - start + 1;
    const covered =
      part !== null &&
      start >= part.start &&
      end <= part.end &&
      part.end - part.start + 1 <= Math.max(8 * reach, BINS);
    if (!this.read || !whole || covered || isFineEnough(whole, start, end)) {
      return;
    }
    const from = Math.max(start - reach, whole.start);
    const to = Math.min(end + reach, whole.end);
    if (this.wanted?.start !== from || this.wanted.end !== to) {
      this.wanted = { start: from, end: to };
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.readPart(), DETAIL_DELAY_MILLIS);
    }
  }

  /** Return the facts of a snapshot, or null if they are not known. */
  knownFacts(id: Int64): SnapshotValue | null {
    return this.facts.get(id) ?? null;
  }

  /** Return what is known of a snapshot, or null, and start to read what is not known. */
  factsOf(id: Int64): SnapshotValue | null {
    if (this.read && !this.withChanges.has(id) && !this.pending.has(id)) {
      void this.readFacts('one', [id]);
    }
    return this.facts.get(id) ?? null;
  }

  /** Return the facts of the newest snapshots of a range, or null and start to read them if any are not known. */
  rowsOf(start: number, end: number): SnapshotValue[] | null {
    const { positions } = this;
    if (!positions) {
      return [];
    }
    const ids: Int64[] = [];
    const first = Math.max(start, end - TABLE_ROWS + 1);
    for (let position = end; position >= first; position -= 1) {
      ids.push(positions.id(position));
    }
    const unread = ids.filter(id => !this.withChanges.has(id));
    if (this.read && unread.length > 0) {
      if (unread.some(id => !this.pending.has(id))) {
        void this.readFacts('rows', ids);
      }
      return null;
    }
    return ids.flatMap(id => this.facts.get(id) ?? []);
  }

  /** Search until all snapshots were searched; `found` receives each answer. */
  async search(
    text: string,
    found: (value: SearchValue) => void
  ): Promise<void> {
    await this.run('search', async (read, signal) => {
      for (;;) {
        const value = await read('snapshot_search', { text }, signal);
        found(value);
        if (value.read === value.total) {
          return;
        }
        await pause(signal);
      }
    });
  }

  stopSearch(): void {
    this.reads.get('search')?.abort();
  }

  private take(snapshot: SnapshotValue, withChanges: boolean): void {
    this.facts.set(snapshot.id, snapshot);
    if (withChanges) {
      this.withChanges.add(snapshot.id);
    }
  }

  private async readWhole(): Promise<void> {
    await this.run('whole', async (read, signal) => {
      for (;;) {
        const value = await read('history', { bins: BINS }, signal);
        this.takeWhole(value);
        this.changed();
        if (value.complete) {
          return;
        }
        await pause(signal);
      }
    });
  }

  private takeWhole(value: HistoryValue): void {
    const { positions } = this;
    if (!positions) {
      return;
    }
    const [read, total] = [Number(value.read), Number(value.total)];
    this.progress = read < total ? { read, total } : null;
    this.isComplete = value.complete;
    this.readError = null;
    this.whole = seriesOf(value, positions);
    this.pins = pinsOf(value.marks, positions);
  }

  private readPart(): void {
    const { wanted, positions } = this;
    if (!wanted || !positions) {
      return;
    }
    const start = positions.id(wanted.start);
    const end = positions.id(wanted.end);
    void this.run('part', async (read, signal) => {
      for (;;) {
        const request = { start, end, bins: BINS };
        const value = await read('history', request, signal);
        this.part = seriesOf(value, positions);
        this.changed();
        if (value.complete) {
          return;
        }
        await pause(signal);
      }
    });
  }

  /** Read the facts of consecutive snapshots, given newest first. */
  private async readFacts(name: string, ids: readonly Int64[]): Promise<void> {
    await this.run(name, async (read, signal) => {
      if (this.facts.size > MAX_FACTS) {
        this.facts.clear();
        this.withChanges.clear();
      }
      ids.forEach(id => this.pending.add(id));
      const end = () => ids.forEach(id => this.pending.delete(id));
      signal.addEventListener('abort', end);
      const request = { start: ids[ids.length - 1], end: ids[0] };
      const { snapshots } = await read('snapshots', request, signal);
      end();
      ids.forEach(id => this.withChanges.add(id));
      snapshots.forEach(each => this.take(each, true));
      this.changed();
    });
  }

  /** Run a read, and abort the previous read with the same name. */
  private async run(
    name: string,
    reading: (read: TableRead, signal: AbortSignal) => Promise<void>
  ): Promise<void> {
    if (!this.read) {
      return;
    }
    this.reads.get(name)?.abort();
    const control = new AbortController();
    this.reads.set(name, control);
    try {
      await reading(this.read, control.signal);
    } catch (error) {
      if (!control.signal.aborted) {
        this.readError = error instanceof Error ? error.message : String(error);
        this.isComplete = true;
        this.changed();
      }
    }
  }
}

/** Return whether each snapshot of a range already has its own bin, or the range is outside of the series. */
function isFineEnough(series: Series, start: number, end: number): boolean {
  return (
    series.ends.length === series.end - series.start + 1 ||
    start > series.end ||
    end < series.start
  );
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, PAUSE_MILLIS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('The read was canceled.', 'AbortError'));
    });
  });
}
