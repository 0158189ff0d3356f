import type {
  DiffCountsValue,
  DiffRowsValue,
  ErrorValue
} from '../../contract';

/** The state of a read: the value, an error, or null before the first request. */
export type Read<V> = V | ErrorValue | 'pending' | 'stopped' | null;

export function countsOf(
  counts: Read<DiffCountsValue>
): DiffCountsValue | null {
  return typeof counts === 'object' && counts && !('message' in counts)
    ? counts
    : null;
}

export function pageOf(page: Read<DiffRowsValue>): DiffRowsValue | null {
  return typeof page === 'object' && page && !('message' in page) ? page : null;
}

export function isEmpty({
  inserted,
  updated,
  deleted,
  complete
}: DiffCountsValue): boolean {
  // Saved values of earlier versions do not say that they are complete.
  if (complete === false) {
    return false;
  }
  return [inserted, updated, deleted].every(count => count === '0');
}

/** Return the error value for anything that a request threw. */
export function errorOf(error: unknown): ErrorValue {
  const { value } = error as { value?: ErrorValue };
  return (
    value ?? { code: 'error', message: String(error), hint: null, file: null }
  );
}
