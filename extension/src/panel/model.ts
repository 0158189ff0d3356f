import type {
  CatalogKindsValue,
  CatalogValue,
  ConnectionValue
} from '../contract';
import { beginMeasure } from '../measure';
import {
  errorValue,
  isTemporary,
  wasCancelled,
  type ILakeSource,
  type Listing,
  type NewCatalog
} from '../source';
import {
  EMPTY_FOREST,
  withExpanded,
  withFailure,
  withLoading,
  withoutClosed,
  withPage,
  type NamePage
} from '../state/forest';
import { failed, loading, ready } from '../state/loaded';
import { pathKey } from '../state/names';
import { Retries } from '../state/retries';
import { visibleRows, type Row } from '../state/rows';
import { allUnsearched, type Unsearched } from '../state/schemaSearch';
import { catalogsIn } from '../state/search';
import { Store } from '../state/store';
import { TreeSearch } from './treeSearch';
import {
  changeForest,
  EMPTY_TREE,
  forestIn,
  type TreeState,
  type Where
} from './treeState';

const MAX_PAGE = 1000;
const NO_CATALOGS: readonly CatalogValue[] = [];

/** The model of the tree of catalogs, databases and tables, which it reads from the source. */
export class TreeModel {
  readonly store = new Store<TreeState>(EMPTY_TREE);

  constructor(
    private readonly _source: ILakeSource,
    private readonly _pageSize: () => number
  ) {
    this._search = new TreeSearch(_source, this.store, _pageSize);
  }

  /** The rows of the tree; the array stays the same until something changes. */
  get rows(): readonly Row[] {
    const { catalogs, browsed, found } = this.store.state;
    const [names, forest] = [catalogs.value ?? NO_CATALOGS, found ?? browsed];
    if (names !== this._drawn.names || forest !== this._drawn.forest) {
      const rows = visibleRows(
        found ? catalogsIn(names, found) : names,
        forest
      );
      this._drawn = { names, forest, rows };
    }
    return this._drawn.rows;
  }

  /** Whether the search has found nothing at all. */
  get foundNothing(): boolean {
    const { found, searching } = this.store.state;
    return found !== null && !searching && this.rows.length === 0;
  }

  /** Whether names are being read. */
  get isReading(): boolean {
    const { catalogs, browsed, found } = this.store.state;
    const { branches } = found ?? browsed;
    return (
      catalogs.status === 'loading' ||
      [...branches.values()].some(({ status }) => status === 'loading')
    );
  }

  /** Everything that could not be searched. */
  get unsearched(): readonly Unsearched[] {
    const { catalogs, found, covered } = this.store.state;
    return found
      ? allUnsearched(catalogs.value ?? NO_CATALOGS, found, covered)
      : [];
  }

  get activeRow(): Row | null {
    const { active } = this.store.state;
    return this.rows.find(row => row.key === active) ?? null;
  }

  catalog(name: string): CatalogValue | null {
    const { catalogs } = this.store.state;
    return catalogs.value?.find(catalog => catalog.name === name) ?? null;
  }

  /** Reload the catalogs and the expanded nodes. */
  async reload(): Promise<void> {
    this.store.update({ catalogs: loading(this.store.state.catalogs) });
    try {
      const { items: catalogs } = await this._source.read('catalogs', {});
      this.store.update({ catalogs: ready(catalogs) });
      const names = catalogs.map(catalog => catalog.name);
      changeForest(this.store, 'browsed', forest =>
        withoutClosed(forest, names)
      );
      await this._loadOpen([], names);
    } catch (error) {
      this.store.update({ catalogs: failed(errorValue(error)) });
    }
  }

  /** The kinds of catalogs that can be added; they are read once. */
  async kinds(): Promise<CatalogKindsValue> {
    this._kinds ??= await this._source.read('catalog_kinds', {});
    return this._kinds;
  }

  /** Open a catalog without adding it. */
  testConnection(
    options: NewCatalog['options'],
    signal: AbortSignal
  ): Promise<ConnectionValue> {
    return this._source.read('test_connection', { options }, signal);
  }

  async addCatalog(
    catalog: NewCatalog,
    signal?: AbortSignal
  ): Promise<CatalogValue> {
    const added = await this._source.read('add_catalog', catalog, signal);
    await this.reload();
    this.activate(pathKey([added.name]));
    await this.expand([added.name], true);
    return added;
  }

  async removeCatalog(name: string): Promise<void> {
    await this._source.read('remove_catalog', { catalog: name });
    await this.reload();
  }

  activate(key: string): void {
    this.store.update({ active: key });
  }

  /** Mark a table as damaged, or as no longer damaged. */
  markDamaged(path: readonly string[], isDamaged: boolean): void {
    const key = pathKey(path);
    const { damaged } = this.store.state;
    if (damaged.has(key) !== isDamaged) {
      const others = [...damaged].filter(other => other !== key);
      this.store.update({
        damaged: new Set(isDamaged ? [...others, key] : others)
      });
    }
  }

  setNotice(notice: string | null): void {
    this.store.update({ notice });
  }

  /** Expand the nodes of the previous session; they are read together with their catalog. */
  restore(keys: readonly string[]): void {
    const { browsed } = this.store.state;
    const expanded = new Set([...browsed.expanded, ...keys]);
    this.store.update({ browsed: { ...browsed, expanded } });
  }

  async expand(path: readonly string[], open: boolean): Promise<void> {
    const where = this._where();
    const key = pathKey(path);
    if (open) {
      beginMeasure('paimon:tree');
    }
    changeForest(this.store, where, forest => withExpanded(forest, key, open));
    const status = forestIn(this.store, where).branches.get(key)?.status;
    if (open && (status === undefined || status === 'failed')) {
      await this.refresh(path);
    }
  }

  /** Expand or collapse a list of what a database has besides tables. */
  expandGroup(key: string, open: boolean): void {
    changeForest(this.store, this._where(), forest =>
      withExpanded(forest, key, open)
    );
  }

  /** Expand the first catalog, and its database if there is only one. */
  async expandFirst(): Promise<void> {
    const catalog = this.store.state.catalogs.value?.[0]?.name;
    if (catalog === undefined) {
      return;
    }
    await this.expand([catalog], true);
    const key = pathKey([catalog]);
    const databases = this.store.state.browsed.branches.get(key)?.names ?? [];
    if (databases.length === 1) {
      await this.expand([catalog, databases[0]], true);
    }
  }

  /** Read the next page of names below a node. */
  more(path: readonly string[]): Promise<void> {
    return this._load(this._where(), path, true);
  }

  /** Search for databases and tables by name, and then by schema. */
  search(text: string): void {
    this._search.start(text);
  }

  /** Reload a node and its expanded children. */
  async refresh(path: readonly string[]): Promise<void> {
    if (path.length < 3) {
      const where = this._where();
      await this._load(where, path, false);
      if (where === 'browsed') {
        await this._loadOpen(path, this._namesBelow(path));
      }
    }
  }

  private _where(): Where {
    return this.store.state.found === null ? 'browsed' : 'found';
  }

  private async _loadOpen(
    path: readonly string[],
    names: readonly string[]
  ): Promise<void> {
    const { expanded } = forestIn(this.store, 'browsed');
    const open = names
      .map(name => [...path, name])
      .filter(child => child.length < 3 && expanded.has(pathKey(child)));
    await Promise.all(open.map(child => this._loadWithOpen(child)));
  }

  private async _loadWithOpen(path: readonly string[]): Promise<void> {
    await this._load('browsed', path, false);
    await this._loadOpen(path, this._namesBelow(path));
  }

  /** Return the names below a node; none if they could not be read: what is below them could not be read, either. */
  private _namesBelow(path: readonly string[]): readonly string[] {
    const branch = forestIn(this.store, 'browsed').branches.get(pathKey(path));
    return branch?.status === 'failed' ? [] : (branch?.names ?? []);
  }

  private async _load(
    where: Where,
    path: readonly string[],
    after: boolean
  ): Promise<void> {
    const key = pathKey(path);
    changeForest(this.store, where, forest => withLoading(forest, key));
    await this._read(where, path, after);
    this._retries.update();
  }

  /** Read names below a node, which keeps its appearance until they are there. */
  private async _read(
    where: Where,
    path: readonly string[],
    after: boolean
  ): Promise<void> {
    const key = pathKey(path);
    const slot = `${where} ${key}`;
    this._loads.get(slot)?.abort();
    const load = new AbortController();
    this._loads.set(slot, load);
    const branch = forestIn(this.store, where).branches.get(key);
    const known = after ? 0 : (branch?.names.length ?? 0);
    try {
      const listing = {
        search: branch?.search ?? '',
        cursor: after ? branch?.next : null,
        limit: Math.min(Math.max(this._pageSize(), known), MAX_PAGE)
      };
      const page = await this._page(path, listing, load.signal);
      changeForest(this.store, where, forest =>
        withPage(forest, key, page, after)
      );
    } catch (error) {
      if (!wasCancelled(error)) {
        const value = errorValue(error);
        changeForest(this.store, where, forest =>
          withFailure(forest, key, value)
        );
      }
    }
  }

  /** The opened nodes whose service did not answer. */
  private get _unanswered(): (readonly string[])[] {
    return this.rows.flatMap(({ kind, path, error }) =>
      kind === 'failed' && error && isTemporary(error) ? [path] : []
    );
  }

  private async _readAgain(path: readonly string[]): Promise<void> {
    const where = this._where();
    await this._read(where, path, false);
    if (where === 'browsed') {
      await this._loadOpen(path, this._namesBelow(path));
    }
  }

  private async _page(
    [catalog, database]: readonly string[],
    listing: Listing & { search: string },
    signal: AbortSignal
  ): Promise<NamePage> {
    const { search } = listing;
    if (database === undefined) {
      const request = { catalog, ...listing };
      const page = await this._source.read('databases', request, signal);
      return { ...page, search, names: page.items.map(({ name }) => name) };
    }
    const request = { catalog, database, ...listing };
    const page = await this._source.read('tables', request, signal);
    return { ...page, search, names: page.items.map(({ name }) => name) };
  }

  private _drawn = {
    names: NO_CATALOGS,
    forest: EMPTY_FOREST,
    rows: [] as readonly Row[]
  };
  private readonly _search: TreeSearch;
  private readonly _retries = new Retries({
    isNeeded: () => this._unanswered.length > 0,
    repeat: () =>
      Promise.all(this._unanswered.map(path => this._readAgain(path)))
  });
  private readonly _loads = new Map<string, AbortController>();
  private _kinds: CatalogKindsValue | null = null;
}
