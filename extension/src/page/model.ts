import type {
  ErrorValue,
  Int64,
  LevelsValue,
  SchemaHistoryValue,
  SummaryValue,
  TimelineValue
} from '../contract';
import { beginMeasure } from '../measure';
import {
  errorValue,
  wasCancelled,
  type ILakeSource,
  type News
} from '../source';
import { failed, idle, loading, ready, type Loaded } from '../state/loaded';
import type { TableName } from '../state/names';
import { Store } from '../state/store';
import {
  LATEST,
  nextVersion,
  previousVersion,
  sameVersion,
  type Version
} from '../state/version';

export const TABS = ['overview', 'schema', 'timeline', 'levels'] as const;
export type Tab = (typeof TABS)[number];

const USUAL_PAGE = 200;
const LARGEST_PAGE = 1000;

export interface PageState {
  readonly version: Version;
  readonly tab: Tab;
  readonly bucket: string | null;
  readonly summary: Loaded<SummaryValue>;
  readonly schema: Loaded<SchemaHistoryValue>;
  readonly timeline: Loaded<TimelineValue>;
  readonly levels: Loaded<LevelsValue>;
  /** The newest snapshot that is known of, shown or not. */
  readonly newest: Int64 | null;
  /** A snapshot that the page has just moved on to by itself. */
  readonly arrived: Int64 | null;
  /** That the table cannot be read any more, while what was read stays on the page. */
  readonly trouble: ErrorValue | null;
}

export interface Place {
  readonly version?: Version;
  readonly tab?: Tab;
  readonly bucket?: string | null;
}

interface Wishes {
  follow(): boolean;
}

type Part = 'summary' | 'schema' | 'timeline' | 'levels';

/** One table as a page shows it: the version, what is known of it, and what is asked for next. */
export class PageModel {
  readonly store: Store<PageState>;

  constructor(
    readonly name: TableName,
    private readonly _source: ILakeSource,
    private readonly _wishes: Wishes,
    place: Place
  ) {
    this.store = new Store<PageState>({
      version: place.version ?? LATEST,
      tab: place.tab ?? 'overview',
      bucket: place.bucket ?? null,
      summary: idle(),
      schema: idle(),
      timeline: idle(),
      levels: idle(),
      newest: null,
      arrived: null,
      trouble: null
    });
    this._unwatch = _source.watch(name, news => this._hear(news));
    this.refresh();
  }

  dispose(): void {
    this._unwatch();
    this._loads.forEach(load => load.abort());
  }

  /** Ask again for all that is shown. */
  refresh(): void {
    this._load('summary');
    this._load('timeline');
    this._loadTab();
  }

  go(place: Place): void {
    if (
      place.version &&
      !sameVersion(place.version, this.store.state.version)
    ) {
      this.showVersion(place.version);
    }
    if (place.tab) {
      this.showTab(place.tab);
    }
    if (place.bucket) {
      this.showBucket(place.bucket);
    }
  }

  showVersion(version: Version): void {
    this.store.update({ version, arrived: null });
    this._refreshVersion();
  }

  /** One snapshot back or forth; nothing where there is none. */
  step(direction: 'previous' | 'next'): void {
    const version = this.neighbour(direction);
    if (version) {
      this.showVersion(version);
    }
  }

  neighbour(direction: 'previous' | 'next'): Version | null {
    const { summary, version } = this.store.state;
    if (!summary.value) {
      return null;
    }
    return direction === 'previous'
      ? previousVersion(summary.value)
      : nextVersion(version, summary.value);
  }

  showTab(tab: Tab): void {
    if (tab === 'levels') {
      beginMeasure('paimon:levels');
    }
    this.store.update({ tab });
    if (tab !== 'overview' && this.store.state[tab].status === 'idle') {
      this._loadTab();
    }
  }

  showBucket(bucket: string): void {
    beginMeasure('paimon:levels');
    this.store.update({ bucket });
    this._load('levels');
  }

  /** Older snapshots below those that are listed. */
  async moreSnapshots(): Promise<void> {
    const { timeline } = this.store.state;
    const shown = timeline.value;
    if (timeline.status === 'ready' && shown?.next) {
      await this._run('timeline', signal =>
        this._source
          .timeline({
            name: this.name,
            cursor: shown.next,
            signal
          })
          .then(page => ({
            ...page,
            snapshots: [...shown.snapshots, ...page.snapshots]
          }))
      );
    }
  }

  async moreBuckets(): Promise<void> {
    const { levels, version } = this.store.state;
    const shown = levels.value;
    if (levels.status === 'ready' && shown?.next) {
      await this._run('levels', signal =>
        this._source
          .levels({ name: this.name, version, cursor: shown.next, signal })
          .then(page => ({
            ...page,
            bucket: shown.bucket,
            buckets: [...shown.buckets, ...page.buckets]
          }))
      );
    }
  }

  private _hear(news: News): void {
    if (news.kind === 'error') {
      this.store.update({ trouble: news.error });
      return;
    }
    const { newest, version, trouble, summary } = this.store.state;
    const known = newest ?? summary.value?.latest_snapshot ?? null;
    if (news.snapshot === known && trouble === null) {
      this.store.update({ newest: news.snapshot });
      return;
    }
    this.store.update({ newest: news.snapshot, trouble: null });
    if (this._isBusy()) {
      // Answers are on their way; if they are older than this news, they are asked for once more.
      return;
    }
    if (version.kind === 'latest' && this._wishes.follow()) {
      this.store.update({ arrived: news.snapshot });
      this._refreshVersion();
    } else if (summary.status === 'failed') {
      this._refreshVersion();
    }
    this._load('timeline');
  }

  private _settled(part: Part): void {
    if (part === 'summary') {
      this.store.update({ trouble: null });
    }
    this._catchUp();
  }

  private _isBusy(): boolean {
    const { summary, schema, timeline, levels } = this.store.state;
    const parts = [summary, schema, timeline, levels];
    return parts.some(({ status }) => status === 'loading');
  }

  /**
   * A snapshot that was told of while answers were on their way may not be in them. They are asked for again once:
   * where they stay behind what was told, asking on would not help.
   */
  private _catchUp(): void {
    const { summary, timeline, newest, version } = this.store.state;
    if (newest === null || newest === this._caughtUp || this._isBusy()) {
      return;
    }
    const follows = version.kind === 'latest' && this._wishes.follow();
    const isBehind = follows && isOlder(summary.value?.snapshot, newest);
    if (isBehind || isOlder(timeline.value?.snapshots[0]?.id, newest)) {
      this._caughtUp = newest;
      this._load('timeline');
    }
    if (isBehind) {
      this.store.update({ arrived: newest });
      this._refreshVersion();
    }
  }

  /** What depends on the version is asked for again where it is shown, and forgotten elsewhere. */
  private _refreshVersion(): void {
    const { tab, schema, levels } = this.store.state;
    this.store.update({
      schema: tab === 'schema' ? schema : idle(),
      levels: tab === 'levels' ? levels : idle()
    });
    this._load('summary');
    if (tab !== 'timeline') {
      this._loadTab();
    }
  }

  private _loadTab(): void {
    const { tab } = this.store.state;
    if (tab === 'levels') {
      beginMeasure('paimon:levels');
    }
    if (tab === 'schema' || tab === 'levels') {
      this._load(tab);
    }
  }

  private _load(part: Part): void {
    const { name, _source: source } = this;
    const { version, bucket, timeline, levels } = this.store.state;
    const asks = {
      summary: (signal: AbortSignal) =>
        source.summary({ name, version, signal }),
      schema: (signal: AbortSignal) => source.schema({ name, version, signal }),
      timeline: (signal: AbortSignal) =>
        source.timeline({
          name,
          limit: sameCount(timeline.value?.snapshots),
          signal
        }),
      levels: (signal: AbortSignal) =>
        source.levels({
          name,
          version,
          bucket,
          limit: sameCount(levels.value?.buckets),
          signal
        })
    };
    void this._run<Part>(part, asks[part]);
  }

  private async _run<P extends Part>(
    part: P,
    ask: (signal: AbortSignal) => Promise<NonNullable<PageState[P]['value']>>
  ): Promise<void> {
    this._loads.get(part)?.abort();
    const load = new AbortController();
    this._loads.set(part, load);
    const put = (state: Loaded<unknown>) =>
      this.store.update({ [part]: state } as Partial<PageState>);
    put(loading(this.store.state[part] as Loaded<unknown>));
    try {
      const value = await ask(load.signal);
      if (!load.signal.aborted) {
        put(ready(value));
        this._settled(part);
      }
    } catch (error) {
      if (!load.signal.aborted && !wasCancelled(error)) {
        put(failed(errorValue(error)));
        this._catchUp();
      }
    }
  }

  private _caughtUp: Int64 | null = null;
  private readonly _loads = new Map<Part, AbortController>();
  private readonly _unwatch: () => void;
}

/** Asks for as many items again as are shown, or for as many as the source gives where they are few. */
function sameCount(shown: readonly unknown[] | undefined): number | undefined {
  const count = shown?.length ?? 0;
  return count > USUAL_PAGE ? Math.min(count, LARGEST_PAGE) : undefined;
}

function isOlder(shown: Int64 | null | undefined, newest: Int64): boolean {
  return shown ? BigInt(shown) < BigInt(newest) : true;
}
