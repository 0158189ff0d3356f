import type { Int64, SummaryValue } from '../contract';

/** The runs that a compaction merged, and the levels that it wrote. */
export interface Merge {
  readonly runs: number;
  readonly levels: readonly number[];
}

/** What a snapshot did that a page moved to automatically. */
export interface StoryStep {
  readonly id: Int64;
  readonly kind: string;
  /** The number of skipped snapshots before it; if there are any, its own changes are not known. */
  readonly skipped: number;
  /** The number of stored rows that it added, minus those that it removed. */
  readonly added: Int64;
  readonly merge: Merge | null;
}

/** Return what happened between two versions, or null if they are the same snapshot. */
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

/** Return the number of stored rows of a version; 0 if it is damaged and the number is unknown. */
function storedRows({ contents }: SummaryValue): bigint {
  return BigInt(contents?.stored_rows ?? 0);
}

/** Return the snapshot that follows one on the way to another, such that at most `most` snapshots are left to show. */
export function nextSnapshot(from: Int64, to: Int64, most: number): Int64 {
  const next = BigInt(from) + 1n;
  const first = BigInt(to) - BigInt(most) + 1n;
  return String(next > first ? next : first);
}
