import type { CompactionsValue } from '../../contract';

/** A page of compactions, and the chosen one: `<snapshot>@<bucket>`, or only a snapshot. */
export interface CompactionShown {
  readonly value: CompactionsValue;
  readonly selected: string | null;
}

export type CompactionEvent =
  | { kind: 'select-compaction'; id: string }
  | { kind: 'more-compactions'; cursor: string }
  | { kind: 'replay'; bucket: string; limit: number }
  | { kind: 'costs' };
