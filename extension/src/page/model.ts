import type { ErrorValue, Int64, Requests } from '../contract';
import { beginMeasure } from '../measure';
import { isTemporary, type ILakeSource, type News } from '../source';
import { idle } from '../state/loaded';
import type { TableName } from '../state/names';
import { Store } from '../state/store';
import {
  LATEST,
  nextVersion,
  previousVersion,
  sameVersion,
  versionParameters,
  type Version
} from '../state/version';
import type { TabView } from '../viewDefinitions/definition';
import { viewDefinitions } from '../viewDefinitions/registry';
import type { TableRead } from '../views/stage';
import { Arrivals } from './arrivals';
import { damageOf } from './damage';
import { hasTemporaryFailure, Loads } from './loads';
import type { PageLocation, PageState } from './pageState';
import {
  partOf,
  READABLE,
  SUMMARY,
  TIMELINE,
  type Part,
  type PartStates,
  type ViewArguments
} from './parts';

interface Preferences {
  follow(): boolean;
}

/** The state of a table page: the version and views it shows, and the values read for them. */
export class PageModel {
  readonly store: Store<PageState>;

  constructor(
    readonly name: TableName,
    private readonly _source: ILakeSource,
    private readonly _preferences: Preferences,
    location: PageLocation
  ) {
    this.store = new Store<PageState>({
      version: location.version ?? LATEST,
      tab: location.tab ?? viewDefinitions.firstTab,
      arguments: location.arguments ?? {},
      parts: {},
      newest: null,
      arrived: null,
      story: [],
      readOnly: false,
      readError: null
    });
    this._unwatch = _source.watch(name, news => this._onNews(news));
    this.refresh();
  }

  dispose(): void {
    this._arrivals.stop();
    this._unwatch();
    this._loads.abortAll();
  }

  /** Reload everything that the page shows. */
  refresh(): void {
    this._arrivals.stop();
    this._refresh(this._parts);
  }

  go(location: PageLocation): void {
    if (
      location.version &&
      !sameVersion(location.version, this.store.state.version)
    ) {
      this.showVersion(location.version);
    }
    if (location.tab) {
      this.showTab(location.tab);
    }
    if (Object.keys(location.arguments ?? {}).length > 0) {
      this.setArguments(location.arguments ?? {});
    }
  }

  showVersion(version: Version): void {
    this._arrivals.stop();
    this._arrivals.forget();
    this.store.update({ version, arrived: null });
    this._refreshVersion();
  }

  /** Read an endpoint about this table, for a picture that shows more than the value of its part. */
  readonly read: TableRead = (endpoint, request, signal) =>
    this._source.read(
      endpoint,
      { ...request, ...this.name } as Requests[typeof endpoint],
      signal
    );

  /** Move to the previous or next snapshot, if there is one. */
  step(direction: 'previous' | 'next'): void {
    const version = this.neighbor(direction);
    if (version) {
      this.showVersion(version);
    }
  }

  neighbor(direction: 'previous' | 'next'): Version | null {
    const { value } = partOf(this.store.state, SUMMARY);
    if (!value) {
      return null;
    }
    return direction === 'previous'
      ? previousVersion(value)
      : nextVersion(this.store.state.version, value);
  }

  showTab(tab: string): void {
    this._endPlaying();
    this.store.update({ tab });
    this._beginMeasure();
    this._tabParts.forEach(part => this.ensure(part));
  }

  /** Set arguments of views, and reload the parts that depend on them. */
  setArguments(given: ViewArguments): void {
    this._endPlaying();
    this.store.update({
      arguments: { ...this.store.state.arguments, ...given }
    });
    this._beginMeasure();
    const taking = viewDefinitions.tabs.flatMap(({ tab }) =>
      [tab.part, ...(tab.others ?? [])].filter(({ takes }) =>
        (takes ?? Object.keys(tab.arguments ?? {})).some(name => name in given)
      )
    );
    new Set(taking).forEach(part => this._load(part));
  }

  /** Read a part that is read on demand, unless it has been read for this version. */
  ensure(part: Part): void {
    if (partOf(this.store.state, part).status === 'idle') {
      this._load(part);
    }
  }

  /** Reload a part. */
  reload(part: Part): void {
    this._load(part);
  }

  /** Whether the page is moving through new snapshots automatically. */
  get isMoving(): boolean {
    return this._arrivals.isPlaying;
  }

  /** Read the next page of a part's list. */
  async more<V>(part: Part<V>): Promise<void> {
    const { status, value } = partOf(this.store.state, part);
    if (status !== 'ready' || value === null) {
      return;
    }
    // The list may be complete; without a request, nothing changes.
    await this._loads.run(part, read => part.more?.(read, this._query, value));
  }

  private _onNews(news: News): void {
    if (news.kind === 'error') {
      this.store.update({ readError: news.error });
      return;
    }
    const { newest, version, readError } = this.store.state;
    const summary = partOf(this.store.state, SUMMARY);
    const known = newest ?? summary.value?.latest_snapshot ?? null;
    if (news.snapshot === known && readError === null) {
      this.store.update({ newest: news.snapshot });
      return;
    }
    this.store.update({ newest: news.snapshot, readError: null });
    if (this._isBusy()) {
      // If the pending answers predate this news, `_catchUp` reloads them.
      this._isBack = readError !== null;
      return;
    }
    if (version.kind === 'latest' && this._preferences.follow()) {
      this._arrivals.begin(news.snapshot);
    } else if (hasTemporaryFailure(this.store.state)) {
      this._refreshVersion();
    }
    this._refreshHistory();
  }

  private _settled(part: Part, error: ErrorValue | null): void {
    if (part.name === SUMMARY.name && !error) {
      this._forget(this._onDemand);
    }
    if (error && isTemporary(error)) {
      this.store.update({ readError: error });
    } else if (
      partOf(this.store.state, SUMMARY).status === 'ready' &&
      !hasTemporaryFailure(this.store.state) &&
      !this._isBusy()
    ) {
      this.store.update({ readError: null });
    }
    if (error || part.name === SUMMARY.name) {
      this._checkDamage();
    }
    this._catchUp();
  }

  private _showNewest(): void {
    this.store.update({ arrived: this.store.state.newest });
    this._refreshVersion();
  }

  /** Show the newest snapshot immediately if the page was moving to it. */
  private _endPlaying(): void {
    if (this._arrivals.stop()) {
      this._showNewest();
    }
  }

  /** Whether answers are pending that determine the version of the page; other answers may take long. */
  private _isBusy(): boolean {
    return [SUMMARY, TIMELINE, this._tabPart].some(
      part => partOf(this.store.state, part as Part).status === 'loading'
    );
  }

  /**
   * A snapshot that was reported while answers were pending may be missing from them. They are reloaded only once: if
   * they still lag behind the report, repeating would not help.
   */
  private _catchUp(): void {
    const { newest, version } = this.store.state;
    const summary = partOf(this.store.state, SUMMARY);
    const timeline = partOf(this.store.state, TIMELINE);
    if (this._isBusy() || this._arrivals.isPlaying) {
      return;
    }
    this._arrivals.settled();
    if (this._isBack) {
      this._isBack = false;
      if (hasTemporaryFailure(this.store.state)) {
        this.refresh();
        return;
      }
    }
    if (newest === null || newest === this._caughtUp) {
      return;
    }
    const follows = version.kind === 'latest' && this._preferences.follow();
    const isBehind = follows && isOlder(summary.value?.snapshot, newest);
    if (isBehind || isOlder(timeline.value?.snapshots[0]?.id, newest)) {
      this._caughtUp = newest;
      this._refreshHistory();
    }
    if (isBehind) {
      this._arrivals.begin(newest);
    }
  }

  /** Reload the parts that depend on the version. */
  private _refreshVersion(): void {
    this._refresh(this._parts.filter(part => part.perVersion));
  }

  /** Reload the parts that depend on the list of versions. */
  private _refreshHistory(): void {
    this._refresh(this._parts.filter(part => !part.perVersion));
  }

  /**
   * Reload the given parts that are shown, and discard the values of those that are hidden. What was read on demand is
   * discarded once the version is known.
   */
  private _refresh(parts: readonly Part[]): void {
    const inTab = this._tabParts;
    const shown = parts.filter(part => part.always || inTab.includes(part));
    const kept = [...shown, ...this._onDemand];
    this._forget(parts.filter(part => !kept.includes(part)));
    if (shown.includes(this._tabPart)) {
      this._beginMeasure();
    }
    shown.forEach(part => this._load(part));
  }

  private _forget(parts: readonly Part[]): void {
    parts.forEach(part => this._loads.abort(part));
    const forgotten = parts.map(({ name }) => [name, idle()]);
    this._updateParts(Object.fromEntries(forgotten));
  }

  private _beginMeasure(): void {
    const { name, picture } = viewDefinitions.tab(this.store.state.tab);
    if (picture) {
      beginMeasure(`paimon:${name}`);
    }
  }

  private _load(part: Part): void {
    const shown = partOf(this.store.state, part).value;
    const query = this._query;
    void this._loads.run(part, read => part.read(read, query, shown));
  }

  /** If damage is known, look for a version that can be read. */
  private _checkDamage(): void {
    if (damageOf(this.store.state)) {
      this.ensure(READABLE as Part);
    }
  }

  private _updateParts(change: PartStates): void {
    this.store.update({ parts: { ...this.store.state.parts, ...change } });
  }

  private get _query() {
    const { version, arguments: given } = this.store.state;
    return {
      table: this.name,
      version: versionParameters(version),
      arguments: given,
      damaged: damageOf(this.store.state)?.file ?? null
    };
  }

  private get _tab(): TabView['tab'] {
    return viewDefinitions.tab(this.store.state.tab).tab;
  }

  private get _tabPart(): Part {
    return this._tab.part;
  }

  /** The parts that the open tab reads when it opens. */
  private get _tabParts(): readonly Part[] {
    const { part, others = [] } = viewDefinitions.tab(this.store.state.tab).tab;
    return [part, ...others];
  }

  /** All parts that the page reads, starting with those it always shows. */
  private get _parts(): readonly Part[] {
    const parts = [
      SUMMARY,
      TIMELINE,
      READABLE,
      ...viewDefinitions.tabs.flatMap(({ tab }) => [
        tab.part,
        ...(tab.others ?? [])
      ]),
      ...this._onDemand
    ];
    return [...new Set<Part>(parts as Part[])];
  }

  private get _onDemand(): readonly Part[] {
    return viewDefinitions.tabs.flatMap(({ tab }) => tab.onDemand ?? []);
  }

  private _caughtUp: Int64 | null = null;
  private readonly _arrivals = new Arrivals({
    values: () => this.store.state.parts,
    parts: () =>
      this._parts.filter(
        part => part.perVersion && (part.always || part === this._tabPart)
      ),
    showsWrites: () => this._tab.showsWrites ?? false,
    merged: (before, now) => this._tab.merged?.(before, now) ?? null,
    readAt: (part, snapshot, signal) =>
      part.read(
        (endpoint, request) => this._source.read(endpoint, request, signal),
        { ...this._query, version: { snapshot } },
        partOf(this.store.state, part).value
      ),
    show: values => this._updateParts(values),
    tell: story => this.store.update({ story }),
    showNewest: () => this._showNewest()
  });
  private readonly _loads = new Loads({
    read: (endpoint, request, signal) =>
      this._source.read(endpoint, request, signal),
    state: () => this.store.state,
    show: change => this._updateParts(change),
    settled: (part, error) => this._settled(part, error)
  });
  /** Whether the table has become readable while answers were pending. */
  private _isBack = false;
  private readonly _unwatch: () => void;
}

function isOlder(shown: Int64 | null | undefined, newest: Int64): boolean {
  return shown ? BigInt(shown) < BigInt(newest) : true;
}
