import type {
  CatalogValue,
  ErrorValue,
  FoundTable,
  OtherEntriesValue
} from '../contract';
import type { Branch, Forest } from './forest';
import { pathKey } from './names';

export type NodeKind = 'catalog' | 'database' | 'table';
/** What a database has besides tables. */
export type EntryKind = 'view' | 'function' | 'other';
/** The lists of these. */
export type GroupKind = keyof OtherEntriesValue;
type RowKind =
  | NodeKind
  | EntryKind
  | GroupKind
  | 'more'
  | 'rest'
  | 'loading'
  | 'empty'
  | 'failed';

/** A visible row of the tree. A row that is not a node belongs to the node at its `path`. */
export interface Row {
  readonly key: string;
  readonly kind: RowKind;
  readonly path: readonly string[];
  readonly level: number;
  readonly position: number;
  readonly size: number;
  readonly expanded: boolean | null;
  readonly error: ErrorValue | null;
  /** The number of remaining names in a row of kind `more` or `rest`, and of all names in a list of entries. */
  readonly left: number;
  /** Why a search found a table, unless it was found by its name. */
  readonly hit: FoundTable | null;
}

const KINDS: readonly NodeKind[] = ['catalog', 'database', 'table'];
const ENTRIES: Readonly<Record<GroupKind, EntryKind>> = {
  views: 'view',
  functions: 'function',
  others: 'other'
};
const GROUPS = Object.keys(ENTRIES) as GroupKind[];

export function nameOf(row: Row): string {
  return row.path[row.path.length - 1];
}

export function isNode(row: Row): row is Row & { kind: NodeKind } {
  return row.kind in { catalog: 0, database: 0, table: 0 };
}

export function isGroup(row: Row): row is Row & { kind: GroupKind } {
  return row.kind in ENTRIES;
}

export function isEntry(row: Row): row is Row & { kind: EntryKind } {
  return row.kind in { view: 0, function: 0, other: 0 };
}

/** Return the key of a list of entries of a database. */
export function groupKey(group: GroupKind, path: readonly string[]): string {
  return `${group} ${pathKey(path)}`;
}

/** Return the lists that are not empty. */
export function groupsOf(entries: OtherEntriesValue | null): GroupKind[] {
  return GROUPS.filter(group => (entries?.[group].total ?? 0) > 0);
}

/** Return the rows of the tree from top to bottom. */
export function visibleRows(
  catalogs: readonly CatalogValue[],
  forest: Forest
): Row[] {
  const rows: Row[] = [];
  catalogs.forEach(({ name }, index) =>
    addNode(rows, forest, [name], index + 1, catalogs.length)
  );
  return rows;
}

function addNode(
  rows: Row[],
  forest: Forest,
  path: readonly string[],
  position: number,
  size: number,
  hit: FoundTable | null = null
): void {
  const key = pathKey(path);
  const kind = KINDS[path.length - 1];
  const expanded = kind === 'table' ? null : forest.expanded.has(key);
  const level = path.length;
  const plain = { error: null, left: 0, hit };
  rows.push({ ...plain, key, kind, path, level, position, size, expanded });
  if (expanded) {
    addBranch(rows, forest, path, forest.branches.get(key));
  }
}

function addBranch(
  rows: Row[],
  forest: Forest,
  path: readonly string[],
  branch: Branch | undefined
): void {
  const names = branch?.names ?? [];
  const hits = new Map(forest.hits.get(pathKey(path)));
  const left = branch?.next ? Math.max(branch.total - names.length, 0) : 0;
  const hitNames = [...hits.keys()].filter(hitsOutside(names));
  const closing = closingKind(branch, hitNames.length);
  // The total size of an incomplete list is known.
  const listed = Math.max(branch?.total ?? 0, names.length + (closing ? 1 : 0));
  const groups = groupsOf(branch?.entries ?? null);
  const size = listed + hitNames.length + groups.length;
  const addNames = (some: readonly string[], before: number): void =>
    some.forEach((name, index) => {
      const position = before + index + 1;
      const hit = hits.get(name);
      addNode(rows, forest, [...path, name], position, size, hit);
    });
  addNames(names, 0);
  if (closing) {
    rows.push({
      key: `${closing} ${pathKey(path)}`,
      kind: closing,
      path,
      level: path.length + 1,
      position: names.length + 1,
      size,
      expanded: null,
      error: branch?.error ?? null,
      left,
      hit: null
    });
  }
  addNames(hitNames, listed);
  groups.forEach((group, index) =>
    addGroup(rows, forest, path, group, size - groups.length + index + 1, size)
  );
}

/** Add a list of what a database has besides tables. */
function addGroup(
  rows: Row[],
  forest: Forest,
  path: readonly string[],
  group: GroupKind,
  position: number,
  size: number
): void {
  const found = forest.branches.get(pathKey(path))?.entries?.[group];
  const { names, total } = found ?? { names: [], total: 0 };
  const key = groupKey(group, path);
  const expanded = forest.expanded.has(key);
  const plain = { error: null, hit: null, path, position, size };
  const level = path.length + 1;
  rows.push({ ...plain, key, kind: group, level, expanded, left: total });
  const kind = ENTRIES[group];
  const left = total - names.length;
  const listed = names.length + (left > 0 ? 1 : 0);
  const entries = (expanded ? names : []).map((name, index) => ({
    ...plain,
    key: `${kind} ${pathKey([...path, name])}`,
    kind,
    path: [...path, name],
    level: level + 1,
    position: index + 1,
    size: listed,
    expanded: null,
    left: 0
  }));
  rows.push(...entries);
  if (expanded && left > 0) {
    rows.push({
      ...plain,
      key: `rest ${key}`,
      kind: 'rest',
      level: level + 1,
      position: listed,
      size: listed,
      expanded: null,
      left
    });
  }
}

function hitsOutside(names: readonly string[]): (name: string) => boolean {
  const listed = new Set(names);
  return name => !listed.has(name);
}

/** Return the kind of the row that closes the names of a branch, or null if it needs none. */
function closingKind(branch: Branch | undefined, hits: number): RowKind | null {
  if (!branch || branch.status === 'loading') {
    // A branch that is being reloaded keeps its appearance.
    return branch && branch.names.length > 0 && !branch.next ? null : 'loading';
  }
  if (branch.status === 'failed') {
    return 'failed';
  }
  if (branch.next) {
    return 'more';
  }
  // A search shows only what it found.
  const found = branch.search !== '' && groupsOf(branch.entries).length > 0;
  return branch.names.length + hits === 0 && !found ? 'empty' : null;
}
