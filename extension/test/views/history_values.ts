import type { HistoryValue, Int64 } from '../../src/contract';

/** An hour in milliseconds. */
export const HOUR = 3_600_000;

/** The time of snapshot 0. */
export const BEGIN = Date.UTC(2026, 9, 24, 20);

/** The answer of a server for snapshots that were committed every ten minutes. */
export function history(
  start: number,
  end: number,
  bins: number,
  facts: Partial<HistoryValue> = {}
): HistoryValue {
  const count = end - start + 1;
  const number = Math.min(bins, count);
  const ends = Array.from(
    { length: number },
    (_, at) => start + Math.floor(((at + 1) * count) / number) - 1
  );
  const sizes = ends.map((each, at) => each - (at ? ends[at - 1] : start - 1));
  const texts = (of: (id: number) => number | null): Int64[] =>
    ends.map(each => String(of(each)));
  return {
    table: 'shop.orders',
    zone: 'UTC',
    first: '1',
    last: '100000',
    start: String(start),
    end: String(end),
    since_millis: String(timeOf(start)),
    total: String(count),
    read: String(count),
    complete: true,
    bins: {
      ids: texts(id => id),
      times: texts(timeOf),
      rows: texts(id => id * 10),
      added: texts(() => 10),
      appends: sizes.map(size => (size > 1 ? size - 1 : size)),
      compacts: sizes.map(size => (size > 1 ? 1 : 0)),
      overwrites: ends.map(() => 0),
      analyzes: ends.map(() => 0),
      files: ends.map((_, at) => (at % 3 === 0 ? '4' : null)),
      bytes: ends.map(() => null),
      runs: ends.map(() => 2)
    },
    marks: [],
    ...facts
  };
}

/** The time of a snapshot. */
export function timeOf(id: number): number {
  return BEGIN + (id * HOUR) / 6;
}
