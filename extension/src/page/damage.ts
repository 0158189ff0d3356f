import type { ErrorValue, Int64 } from '../contract';
import type { PageState } from './pageState';
import { partOf, READABLE, SUMMARY } from './parts';

export const DAMAGED = 'corrupt_file';

/** Return the known damage of the page's version, or null if there is none. */
export function damageOf(state: PageState): ErrorValue | null {
  const { damage } = partOf(state, SUMMARY).value ?? { damage: null };
  const errors = Object.values(state.parts).map(({ error }) => error);
  return damage ?? errors.find(error => error?.code === DAMAGED) ?? null;
}

/** Return the newest snapshot that can be read instead of the shown one, or null if it is unknown. */
export function readableOf(state: PageState): Int64 | null {
  const readable = partOf(state, READABLE).value?.snapshot ?? null;
  const shown = partOf(state, SUMMARY).value?.snapshot ?? null;
  return readable === shown ? null : readable;
}

/**
 * Return whether a table is damaged, or null while that is unknown. Only the latest version can prove that it is not.
 */
export function isKnownDamaged(state: PageState): boolean | null {
  if (damageOf(state)) {
    return true;
  }
  const isLatest = state.version.kind === 'latest';
  const isRead = partOf(state, SUMMARY).status === 'ready';
  const pending = Object.values(state.parts).some(
    ({ status }) => status === 'loading'
  );
  return isLatest && isRead && !pending ? false : null;
}

/** Return whether the damaged version is the latest one: only then does a rollback help. */
export function canRollBack(state: PageState): boolean {
  const { snapshot, latest_snapshot: latest } = partOf(state, SUMMARY)
    .value ?? { snapshot: null, latest_snapshot: null };
  return (
    state.version.kind === 'latest' ||
    (state.version.kind === 'snapshot' &&
      snapshot !== null &&
      snapshot === latest)
  );
}
