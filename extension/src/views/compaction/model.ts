import type { CompactionsValue } from '../../contract';

/** A page of compactions, and the one that is chosen: `<snapshot>@<bucket>`, or a snapshot alone. */
export interface CompactionShown {
  readonly value: CompactionsValue;
  readonly selected: string | null;
}

export type CompactionEvent =
  | { kind: 'select-compaction'; id: string }
  | { kind: 'more-compactions'; cursor: string }
  | { kind: 'replay'; bucket: string; limit: number }
  | { kind: 'costs' };
