import type { CatalogValue } from '../contract';
import { EMPTY_FOREST, type Forest } from '../state/forest';
import { idle, type Loaded } from '../state/loaded';
import { NOTHING_COVERED, type Coverage } from '../state/schemaSearch';
import type { Store } from '../state/store';

/** What the panel shows. */
export interface TreeState {
  readonly catalogs: Loaded<readonly CatalogValue[]>;
  readonly browsed: Forest;
  /** The result of the search, or null if there is no search. */
  readonly found: Forest | null;
  readonly search: string;
  readonly searching: boolean;
  /** How much of the columns and comments the search has read. */
  readonly covered: Coverage;
  /** The key of the active row. */
  readonly active: string | null;
  /** The keys of tables that are known to be damaged. */
  readonly damaged: ReadonlySet<string>;
  /** A notice that a kernel and the server use different environments. */
  readonly notice: string | null;
}

/** The forest of all catalogs, or the one that a search found. */
export type Where = 'browsed' | 'found';

export const EMPTY_TREE: TreeState = {
  catalogs: idle(),
  browsed: EMPTY_FOREST,
  found: null,
  search: '',
  searching: false,
  covered: NOTHING_COVERED,
  active: null,
  damaged: new Set(),
  notice: null
};

export function forestIn(store: Store<TreeState>, where: Where): Forest {
  return store.state[where] ?? EMPTY_FOREST;
}

/** Change a forest. Results of a search that arrive after it was cleared are ignored. */
export function changeForest(
  store: Store<TreeState>,
  where: Where,
  change: (forest: Forest) => Forest
): void {
  if (store.state[where] !== null) {
    store.update({ [where]: change(forestIn(store, where)) });
  }
}
