import type {
  BucketTotalsValue,
  LevelsValue,
  LevelTotalsValue
} from '../../contract';

/**
 * Return how many runs a compaction merged between two versions, and the levels that it wrote, or null if that is
 * unknown.
 */
export function mergeBetween(
  before: LevelsValue | null,
  now: LevelsValue | null
): { runs: number; levels: number[] } | null {
  // There are no runs without keys, and the buckets of other pages are not known.
  if (!before || !now || now.keys.length === 0 || before.next || now.next) {
    return null;
  }
  const former = new Map(before.buckets.map(bucket => [bucket.id, bucket]));
  const written = new Set<number>();
  let runs = 0;
  for (const bucket of now.buckets) {
    const old = former.get(bucket.id);
    const outputs = old ? outputsOf(old, bucket) : [];
    if (old && outputs.length > 0) {
      outputs.forEach(level => written.add(level));
      runs += old.runs - bucket.runs + outputs.length;
    }
  }
  const levels = [...written].sort((a, b) => a - b);
  return levels.length > 0 ? { runs, levels } : null;
}

/** Return the levels above 0 whose files have changed. */
function outputsOf(
  before: BucketTotalsValue,
  now: BucketTotalsValue
): number[] {
  const former = new Map(before.levels.map(each => [each.level, each]));
  return now.levels
    .filter(each => each.level > 0 && isOther(former.get(each.level), each))
    .map(({ level }) => level);
}

function isOther(
  before: LevelTotalsValue | undefined,
  now: LevelTotalsValue
): boolean {
  return (
    before?.files !== now.files ||
    before.rows !== now.rows ||
    before.size !== now.size
  );
}
