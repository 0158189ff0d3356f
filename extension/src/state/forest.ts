import type { ErrorValue, FoundTable, OtherEntriesValue } from '../contract';
import { keyPath, pathKey } from './names';

/** The known names below a catalog or database. */
export interface Branch {
  /** The search text that filters the names and their further pages. */
  readonly search: string;
  readonly status: 'loading' | 'ready' | 'failed';
  readonly names: readonly string[];
  readonly next: string | null;
  readonly total: number;
  readonly error: ErrorValue | null;
  /** What a database has besides tables; null if it is unknown, or for a catalog. */
  readonly entries: OtherEntriesValue | null;
}

/** The known branches, the expanded nodes, and the tables that a search found by their schemas, keyed by `pathKey`. */
export interface Forest {
  readonly branches: ReadonlyMap<string, Branch>;
  readonly expanded: ReadonlySet<string>;
  /** The tables of each database, by their names. */
  readonly hits: ReadonlyMap<string, ReadonlyMap<string, FoundTable>>;
}

export const EMPTY_FOREST: Forest = {
  branches: new Map(),
  expanded: new Set(),
  hits: new Map()
};

export interface NamePage {
  readonly search: string;
  readonly names: readonly string[];
  readonly next: string | null;
  readonly total: number;
  /** Missing on further pages. */
  readonly entries?: OtherEntriesValue | null;
}

const UNKNOWN: Branch = {
  search: '',
  status: 'loading',
  names: [],
  next: null,
  total: 0,
  error: null,
  entries: null
};

export function withExpanded(
  forest: Forest,
  key: string,
  open: boolean
): Forest {
  const expanded = new Set(forest.expanded);
  if (open) {
    expanded.add(key);
  } else {
    expanded.delete(key);
  }
  return { ...forest, expanded };
}

/** Mark a branch as loading; it keeps its names. */
export function withLoading(forest: Forest, key: string): Forest {
  const former = forest.branches.get(key) ?? UNKNOWN;
  return withBranch(forest, key, { ...former, status: 'loading', error: null });
}

/** Replace the names of a branch by a page, or append the page with `after`. */
export function withPage(
  forest: Forest,
  key: string,
  page: NamePage,
  after: boolean
): Forest {
  const former = after ? forest.branches.get(key) : undefined;
  return withBranch(forest, key, {
    ...page,
    names: [...(former?.names ?? []), ...page.names],
    status: 'ready',
    error: null,
    entries: page.entries ?? former?.entries ?? null
  });
}

export function withFailure(
  forest: Forest,
  key: string,
  error: ErrorValue
): Forest {
  const former = forest.branches.get(key) ?? UNKNOWN;
  return withBranch(forest, key, { ...former, status: 'failed', error });
}

/**
 * Add tables of a database that were found by their schemas. A database that has no match yet is added to its catalog,
 * in the order of `databases`, and expanded.
 */
export function withHits(
  forest: Forest,
  [catalog, database]: readonly [string, string],
  found: readonly FoundTable[],
  databases: readonly string[],
  search: string
): Forest {
  if (found.length === 0) {
    return forest;
  }
  const [above, key] = [pathKey([catalog]), pathKey([catalog, database])];
  const former = forest.branches.get(above) ?? UNKNOWN;
  const names = databases.filter(
    name => name === database || former.names.includes(name)
  );
  const page = { search: former.search, names, next: null };
  let next = withPage(forest, above, { ...page, total: names.length }, false);
  if (!forest.branches.has(key)) {
    next = withExpanded(next, key, true);
    next = withPage(
      next,
      key,
      { search, names: [], next: null, total: 0 },
      false
    );
  }
  const tables = found.map((each): [string, FoundTable] => [each.table, each]);
  const hits = new Map([...(forest.hits.get(key) ?? []), ...tables]);
  return { ...next, hits: new Map([...forest.hits, [key, hits]]) };
}

/** Forget what is not visible, so that it is read when it is opened: branches that are closed, or of other catalogs. */
export function withoutClosed(
  forest: Forest,
  catalogs: readonly string[]
): Forest {
  const isOpen = (path: readonly string[]): boolean =>
    catalogs.includes(path[0]) &&
    path.every((_, end) =>
      forest.expanded.has(pathKey(path.slice(0, end + 1)))
    );
  const open = [...forest.branches].filter(([key]) => isOpen(keyPath(key)));
  return { ...forest, branches: new Map(open) };
}

export function mergeForests(one: Forest, other: Forest): Forest {
  return {
    branches: new Map([...one.branches, ...other.branches]),
    expanded: new Set([...one.expanded, ...other.expanded]),
    hits: new Map([...one.hits, ...other.hits])
  };
}

function withBranch(forest: Forest, key: string, branch: Branch): Forest {
  const branches = new Map(forest.branches);
  branches.set(key, branch);
  return { ...forest, branches };
}
