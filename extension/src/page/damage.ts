import type {
  ContentsValue,
  ErrorValue,
  Int64,
  VerdictValue
} from '../contract';
import type { PageState } from './pageState';
import { partOf, READABLE, SUMMARY } from './parts';

export const DAMAGED = 'corrupt_file';

/** Return the known damage of the page's version, or null if there is none. */
export function damageOf(state: PageState): ErrorValue | null {
  const parts = Object.values(state.parts);
  const errors = parts.map(({ error }) => error);
  return (
    parts.map(({ value }) => damageIn(value)).find(damage => damage) ??
    errors.find(error => error?.code === DAMAGED) ??
    null
  );
}

/** Return the damage that a value reports besides what it shows. */
function damageIn(value: unknown): ErrorValue | null {
  return (value as { damage?: ErrorValue | null } | null)?.damage ?? null;
}

/** Return the condition of the page's version: a file that is known to be unreadable makes it poor. */
export function verdictOf(
  state: PageState,
  { verdict }: ContentsValue
): VerdictValue | null {
  const damage = damageOf(state);
  return damage
    ? {
        condition: 'poor',
        text: damage.message,
        files_after: verdict?.files_after ?? '0'
      }
    : verdict;
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
