import type { ErrorValue } from '../contract';

/** The known names below a catalog or database. */
export interface Branch {
  /** The search text that filters the names and their further pages. */
  readonly search: string;
  readonly status: 'loading' | 'ready' | 'failed';
  readonly names: readonly string[];
  readonly next: string | null;
  readonly total: number;
  readonly error: ErrorValue | null;
}

/** The known branches and the expanded nodes, keyed by `pathKey`. */
export interface Forest {
  readonly branches: ReadonlyMap<string, Branch>;
  readonly expanded: ReadonlySet<string>;
}

export const EMPTY_FOREST: Forest = {
  branches: new Map(),
  expanded: new Set()
};

export interface NamePage {
  readonly search: string;
  readonly names: readonly string[];
  readonly next: string | null;
  readonly total: number;
}

const UNKNOWN: Branch = {
  search: '',
  status: 'loading',
  names: [],
  next: null,
  total: 0,
  error: null
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
  const former = after ? (forest.branches.get(key)?.names ?? []) : [];
  return withBranch(forest, key, {
    ...page,
    names: [...former, ...page.names],
    status: 'ready',
    error: null
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

function withBranch(forest: Forest, key: string, branch: Branch): Forest {
  const branches = new Map(forest.branches);
  branches.set(key, branch);
  return { ...forest, branches };
}
