import type { CatalogValue } from '../contract';
import { wasCancelled, type ILakeSource } from '../source';
import {
  EMPTY_FOREST,
  mergeForests,
  withHits,
  type Forest
} from '../state/forest';
import {
  NOTHING_COVERED,
  searchSchemas,
  withPart
} from '../state/schemaSearch';
import { searchCatalog, type FoundByName, type Wanted } from '../state/search';
import type { Store } from '../state/store';
import { changeForest, forestIn, type TreeState } from './treeState';

const SEARCH_WAIT_MILLIS = 250;

/** Searches all catalogs, and shows in the tree what is found. */
export class TreeSearch {
  constructor(
    private readonly _source: ILakeSource,
    private readonly _store: Store<TreeState>,
    private readonly _pageSize: () => number
  ) {}

  /** Search for databases and tables by `text` shortly after the last key press: first by name, then by schema. */
  start(text: string): void {
    this._searches?.abort();
    window.clearTimeout(this._searchTimer);
    if (text.trim() === '') {
      this._store.update({ search: text, found: null, searching: false });
    } else {
      const covered = NOTHING_COVERED;
      this._store.update({ search: text, searching: true, covered });
      const run = () => void this._search(text.trim());
      this._searchTimer = window.setTimeout(run, SEARCH_WAIT_MILLIS);
    }
  }

  private async _search(text: string): Promise<void> {
    const searches = new AbortController();
    this._searches = searches;
    const { signal } = searches;
    const wanted = { text, limit: this._pageSize(), signal };
    // Keep the current rows until there is a result: a row must not vanish under the pointer or the focus.
    let found = false;
    const show = (part: Forest): void => {
      const former = found ? forestIn(this._store, 'found') : EMPTY_FOREST;
      this._store.update({ found: mergeForests(former, part) });
      found = true;
    };
    const inCatalog = async (catalog: CatalogValue) => {
      const byName = await searchCatalog(this._source, catalog, wanted);
      if (!signal.aborted) {
        show(byName.forest);
        await this._searchSchemas(catalog.name, byName, wanted);
      }
    };
    try {
      const { catalogs } = this._store.state;
      await Promise.all((catalogs.value ?? []).map(inCatalog));
      if (signal.aborted) {
        return;
      }
      if (!found) {
        show(EMPTY_FOREST);
      }
      this._store.update({ searching: false });
    } catch (error) {
      if (!wasCancelled(error)) {
        throw error;
      }
    }
  }

  /** Search the columns and comments of a catalog whose names have been searched. */
  private async _searchSchemas(
    catalog: string,
    { databases, tables }: FoundByName,
    wanted: Wanted
  ): Promise<void> {
    const { covered } = this._store.state;
    const count = [...tables.values()].reduce((sum, each) => sum + each, 0);
    const total = covered.total + count;
    this._store.update({ covered: { ...covered, total } });
    const listed = databases.filter(database => tables.get(database));
    await searchSchemas(
      this._source,
      catalog,
      listed,
      wanted,
      (database, part) => {
        const path = [catalog, database] as const;
        changeForest(this._store, 'found', forest =>
          withHits(forest, path, part.found, databases, wanted.text)
        );
        const { covered } = this._store.state;
        this._store.update({ covered: withPart(covered, part) });
      }
    );
  }

  private _searches: AbortController | null = null;
  private _searchTimer = 0;
}
