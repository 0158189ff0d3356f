import type { DiffFilter, DiffValue } from '../../contract';

export type DiffEvent =
  | { kind: 'compare'; before: string | null; after: string | null }
  | { kind: 'source'; mode: string }
  | { kind: 'filter'; filter: DiffFilter }
  | { kind: 'page'; start: number }
  /** Requests the biography of a row. */
  | { kind: 'show-row'; key: Readonly<Record<string, string>> };

/** A comparison, and whether the user chose the compared versions. */
export interface DiffShown {
  readonly diff: DiffValue;
  readonly isChosen: boolean;
}
