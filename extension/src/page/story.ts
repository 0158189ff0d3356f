import type { Int64, SummaryValue } from '../contract';

/** The runs that a compaction merged, and the levels that it wrote. */
export interface Merge {
  readonly runs: number;
  readonly levels: readonly number[];
}

/** What one of the snapshots did that a page moved to by itself. */
export interface StoryStep {
  readonly id: Int64;
  readonly kind: string;
  /** How many snapshots before it were not shown; then its changes are not known. */
  readonly skipped: number;
  /** The stored rows that it added, less those that it removed. */
  readonly added: Int64;
  readonly merge: Merge | null;
}

/** Return what happened from one version to a later one, null if it is the same one. */
export function storyStep(
  before: SummaryValue,
  now: SummaryValue,
  merge: Merge | null
): StoryStep | null {
  const { snapshot: id, commit_kind: kind } = now;
  if (id === null || kind === null || id === before.snapshot) {
    return null;
  }
  return {
    id,
    kind,
    skipped: Math.max(Number(BigInt(id) - BigInt(before.snapshot ?? 0)) - 1, 0),
    added: String(storedRows(now) - storedRows(before)),
    merge: kind === 'COMPACT' ? merge : null
  };
}

/** Return the stored rows of a version; none are known of a damaged one. */
function storedRows({ contents }: SummaryValue): bigint {
  return BigInt(contents?.stored_rows ?? 0);
}

/** Return the snapshots between two ids, at most the `most` newest ones, the oldest first. */
export function snapshotsBetween(
  from: Int64,
  to: Int64,
  most: number
): Int64[] {
  const ids: Int64[] = [];
  let id = BigInt(to) - 1n;
  while (id > BigInt(from) && ids.length < most) {
    ids.unshift(String(id));
    id -= 1n;
  }
  return ids;
}
