import type { DiffCountsValue, DiffFilter, Int64 } from '../../contract';
import { html, type Markup } from '../markup';
import type { Texts } from '../texts';
import type { Words } from '../words';

/** The filters that bars choose. */
export type BarFilter = 'kind' | 'column' | 'partition';

interface Bar {
  readonly name: string;
  readonly value: string;
  readonly rows: Int64;
  readonly kind?: string;
}

const KINDS: readonly [string, string, keyof Words][] = [
  ['inserted', '+', 'diffInserted'],
  ['updated', '~', 'diffUpdated'],
  ['deleted', '−', 'diffDeleted']
];

/** Return the counts as bars, each a button that filters the rows. */
export function countsMarkup(
  counts: DiffCountsValue,
  filter: DiffFilter,
  texts: Texts
): Markup {
  const kinds = KINDS.map(([kind, sign]) => ({
    name: `${sign} ${kindName(kind, texts)}`,
    value: kind,
    rows: counts[kind as 'inserted'],
    kind
  }));
  const columns = counts.columns
    .filter(({ rows, name }) => rows !== '0' || name === filter.column)
    .map(({ name, rows }) => ({ name, value: name, rows }))
    .sort(byRows);
  const partitions = counts.partitions.map(each => ({
    name: each.partition,
    value: each.partition,
    rows: String(
      BigInt(each.inserted) + BigInt(each.updated) + BigInt(each.deleted)
    )
  }));
  const more =
    BigInt(counts.partition_total) - BigInt(counts.partitions.length);
  return html`<div class="pwv-diff-counts">
      ${group('kind', 'diffKinds', kinds, filter, texts)}
      ${columns.length > 0 && group('column', 'diffColumns', columns, filter, texts)}
      ${
        partitions.length > 0 &&
        group(
          'partition',
          'diffPartitions',
          partitions,
          filter,
          texts,
          more > 0 &&
            html`<small class="pwv-dim"
              >${texts.format('diffMorePartitions', { n: more })}</small
            >`
        )
      }
    </div>
    <p class="pwv-dim"><small>${texts.format('diffFilterHint')}</small></p>`;
}

function kindName(kind: string, texts: Texts): string {
  const word = KINDS.find(([name]) => name === kind)?.[2] ?? 'diffUpdated';
  return texts.format(word);
}

function byRows(one: Bar, other: Bar): number {
  return Number(BigInt(other.rows) - BigInt(one.rows));
}

function group(
  what: BarFilter,
  title: keyof Words,
  bars: readonly Bar[],
  filter: DiffFilter,
  texts: Texts,
  below: Markup | false = false
): Markup {
  const most = Math.max(1, ...bars.map(({ rows }) => Number(rows)));
  const chosen = bars.findIndex(({ value }) => value === filter[what]);
  return html`<div class="pwv-diff-group">
    <h4>${texts.format(title)}</h4>
    <div
      class="pwv-diff-list"
      role="group"
      aria-label="${texts.format(title)}"
      data-ring="${what}"
    >
      ${bars.map(({ name, value, rows, kind }, at) => {
        const label = texts.format('diffBarLabel', { name, n: BigInt(rows) });
        const width = Math.round((100 * Number(rows)) / most);
        return html`<button
          type="button"
          class="pwv-diff-bar${kind && ` pwv-diff-${kind}`}"
          data-focus="${what}:${value}"
          data-filter="${what}"
          data-value="${value}"
          aria-pressed="${String(value === filter[what])}"
          aria-label="${label}"
          title="${name}"
          tabindex="${at === Math.max(chosen, 0) ? 0 : -1}"
        >
          <span>${name}</span><span><i style="width:${width}%"></i></span
          ><b>${texts.count(rows)}</b>
        </button>`;
      })}
    </div>
    ${below}
  </div>`;
}
