import type { BucketTotalsValue, ThresholdsValue } from '../contract';

/** The measure that determines the shade of a bucket. */
export type Measure = 'runs' | 'files' | 'size' | 'deletes';

/** The condition of a bucket by one measure, with the same names as the condition of a table. */
export type Condition = 'good' | 'fair' | 'poor';

/** The values of a measure above which the condition is fair, and above which it is poor. */
export interface Limits {
  readonly fair: number;
  readonly poor: number;
}

/**
 * The condition is poor at this multiple of the small files that trigger a compaction, as in the verdict on a table.
 */
const POOR_SMALL_FILES_FACTOR = 10;
const FULL_SHADE = 2.5;
const NO_LIMITS: Limits = { fair: Infinity, poor: Infinity };

/** Return a measure as a comparable number; the share of deletes is in thousandths. */
export function amount(item: BucketTotalsValue, measure: Measure): number {
  switch (measure) {
    case 'runs':
      return item.runs;
    case 'files':
      return item.files;
    case 'size':
      return Number(item.size);
    case 'deletes':
      return Number(item.rows) > 0
        ? (Number(item.deletes ?? 0) / Number(item.rows)) * 1000
        : 0;
  }
}

/** Return the limits that the table's options set for a bucket, or null if they set none. */
export function limitsOf(
  item: BucketTotalsValue,
  measure: Measure,
  thresholds: ThresholdsValue
): Limits | null {
  const { compaction_runs: due, stop_runs: stop } = thresholds;
  switch (measure) {
    case 'runs':
      return due === null || stop === null ? null : { fair: due, poor: stop };
    case 'deletes':
      return { fair: thresholds.deleted_share * 1000, poor: Infinity };
    case 'files':
      return due === null || stop === null
        ? smallFileLimits(item, thresholds)
        : fileLimits(item, thresholds, due, stop);
    case 'size':
      return null;
  }
}

/** Return the value at which a bucket has the darkest shade, regardless of other buckets; null without limits. */
export function scaleOf(
  item: BucketTotalsValue,
  measure: Measure,
  thresholds: ThresholdsValue
): number | null {
  const { fair, poor } = limitsOf(item, measure, thresholds) ?? NO_LIMITS;
  const full = Math.min(poor, fair * FULL_SHADE);
  return full === Infinity ? null : full;
}

export function conditionOf(
  item: BucketTotalsValue,
  measure: Measure,
  thresholds: ThresholdsValue
): Condition {
  const limits = limitsOf(item, measure, thresholds);
  const value = amount(item, measure);
  if (limits === null || value <= limits.fair) {
    return 'good';
  }
  return value > limits.poor ? 'poor' : 'fair';
}

/**
 * Return the limits for files: a compacted bucket has as many full files as its bytes need, plus one for each run that
 * may wait.
 */
function fileLimits(
  { size }: BucketTotalsValue,
  { target_file: target }: ThresholdsValue,
  due: number,
  stop: number
): Limits {
  const full = Math.ceil(Number(size) / Number(target));
  return { fair: full + due, poor: full + stop };
}

/** Return the limits for files without keys: they count as too many only if they are small on average. */
function smallFileLimits(
  { files, size }: BucketTotalsValue,
  { small_file: small, small_files: count }: ThresholdsValue
): Limits {
  return Number(size) < files * Number(small)
    ? { fair: count - 1, poor: count * POOR_SMALL_FILES_FACTOR - 1 }
    : NO_LIMITS;
}
