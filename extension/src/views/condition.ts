import type { BucketTotalsValue, ThresholdsValue } from '../contract';

/** The measure that the shade of a bucket shows. */
export type Measure = 'runs' | 'files' | 'size' | 'deletes';

/** The condition of a bucket by one measure, as the condition of a table is named. */
export type Condition = 'good' | 'fair' | 'poor';

/** The numbers of a measure above which the condition is fair, and above which it is poor. */
export interface Limits {
  readonly fair: number;
  readonly poor: number;
}

/** So many times the number of small files that triggers a compaction are poor, as in the verdict of a table. */
const PILED_UP = 10;
const FULL_SHADE = 2.5;
const NO_LIMITS: Limits = { fair: Infinity, poor: Infinity };

/** Return the measure as a comparable number; a share of deletes in thousandths. */
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

/** Return the limits that the options of the table set for a bucket; null if they set none. */
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

/** Return the number at which the shade of a bucket is full, whatever other buckets have; null without limits. */
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

/** A compacted bucket has as many files as its bytes fill, and one more for each run that may wait. */
function fileLimits(
  { size }: BucketTotalsValue,
  { target_file: target }: ThresholdsValue,
  due: number,
  stop: number
): Limits {
  const full = Math.ceil(Number(size) / Number(target));
  return { fair: full + due, poor: full + stop };
}

/** Files without keys are too many where they are small on average. */
function smallFileLimits(
  { files, size }: BucketTotalsValue,
  { small_file: small, small_files: count }: ThresholdsValue
): Limits {
  return Number(size) < files * Number(small)
    ? { fair: count - 1, poor: count * PILED_UP - 1 }
    : NO_LIMITS;
}
