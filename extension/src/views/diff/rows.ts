import type { ChangeValue, DiffRowsValue, Int64 } from '../../contract';
import { html, type Markup } from '../markup';
import { scrollRegion } from '../tables';
import { keyOfRow } from '../row_key';
import type { Texts } from '../texts';

/** Laying out more cells than this takes longer than a frame. */
const MOST_CELLS = 2000;
const SQL_NULL = 'NULL';

/**
 * Return a page of changed rows, with the old and the new value of each changed cell side by side. `opensRows` is
 * whether each row has a button for its biography.
 */
export function rowsMarkup(
  page: DiffRowsValue,
  total: Int64 | null,
  opensRows: boolean,
  texts: Texts
): Markup {
  if (page.rows.length === 0) {
    return html``;
  }
  const shown = shownColumns(page);
  const left = page.columns.length - shown.length;
  const caption = texts.format('diffRows');
  return html`${scrollRegion(
    caption,
    html`<table>
      <thead>
        <tr>
          <th scope="col">${texts.format('diffKind')}</th>
          ${shown.map(at => headMarkup(page, at))}
        </tr>
      </thead>
      <tbody data-ring="rows">
        ${page.rows.map((_, at) => changeMarkup(at, page, shown, opensRows, texts))}
      </tbody>
    </table>`,
    'pwv-diff-rows'
  )}
  ${left > 0 && html`<p class="pwv-dim">${texts.format('diffMoreColumns', { n: left })}</p>`}
  ${pagerMarkup(page, total, texts)}`;
}

/** Return the columns that fit: first those of the key and those that changed. */
function shownColumns({ columns, rows }: DiffRowsValue): number[] {
  const all = columns.map((_, at) => at);
  const room = Math.max(8, Math.floor(MOST_CELLS / rows.length));
  if (all.length <= room) {
    return all;
  }
  const changed = new Set(rows.flatMap(row => row.changed));
  const first = all.filter(at => columns[at].role !== '' || changed.has(at));
  const rest = all.filter(at => !first.includes(at));
  return [...first, ...rest].slice(0, room).sort((a, b) => a - b);
}

function headMarkup({ columns }: DiffRowsValue, at: number): Markup {
  const { name, type, number, role } = columns[at];
  return html`<th scope="col" class="${number && 'pwv-number'}">
    ${name}<small>${type}${role && `, ${role}`}</small>
  </th>`;
}

const NAMES: Record<string, string> = {
  '+I': 'inserted',
  '-D': 'deleted',
  '-U': 'updated',
  '+U': 'updated'
};

/** Return the key of a changed row, or null if it has none. */
export function keyOfChange(
  { columns }: DiffRowsValue,
  { before, after }: ChangeValue
): Record<string, string> | null {
  return keyOfRow(columns, after ?? before ?? []);
}

function changeMarkup(
  at: number,
  page: DiffRowsValue,
  shown: readonly number[],
  opensRows: boolean,
  texts: Texts
): Markup {
  const change = page.rows[at];
  const key = opensRows ? keyOfChange(page, change) : null;
  const kind = change.before && change.after ? '-U +U' : change.kind;
  const changed = new Set(change.changed);
  return html`<tr class="pwv-diff-${NAMES[change.kind]}">
    <td class="pwv-diff-kind">${kind} ${key && rowButton(at, key, texts)}</td>
    ${shown.map(at => {
      const number = page.columns[at].number && 'pwv-number';
      const after = (change.after ?? change.before)?.[at] ?? null;
      return changed.has(at) && change.before
        ? html`<td class="${number}">
            <del
              aria-label="${texts.format('diffWas')} ${change.before[at] ?? SQL_NULL}"
              >${textOf(change.before[at])}</del
            >
            →
            <ins>${textOf(after)}</ins>
          </td>`
        : html`<td class="${number}">${textOf(after)}</td>`;
    })}
  </tr>`;
}

/** Return the button for the biography of a row; the arrow keys move between the buttons of a page. */
function rowButton(
  at: number,
  key: Readonly<Record<string, string>>,
  texts: Texts
): Markup {
  const name = Object.values(key).join(', ');
  return html`<button
    type="button"
    data-row="${at}"
    data-focus="row:${at}"
    tabindex="${at === 0 ? 0 : -1}"
    title="${texts.format('diffBiography')}"
    aria-label="${texts.format('diffBiographyOf', { name })}"
  >
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6.2"></circle>
      <path d="M8 4.4V8l2.6 1.8"></path>
    </svg>
  </button>`;
}

function textOf(text: string | null): Markup {
  return text === null ? html`<em>${SQL_NULL}</em>` : html`${text}`;
}

function pagerMarkup(
  { start, rows, state, limit }: DiffRowsValue,
  total: Int64 | null,
  texts: Texts
): Markup {
  const range = { from: start + 1, until: start + rows.length };
  const where =
    total === null
      ? texts.format('diffRowsFrom', range)
      : texts.format('diffRowsShown', { ...range, n: BigInt(total) });
  const button = (to: number, text: string, usable: boolean) =>
    html`<button
      type="button"
      data-focus="page:${text}"
      data-start="${to}"
      aria-disabled="${String(!usable)}"
    >
      ${text}
    </button>`;
  return html`<div class="pwv-tools">
    <span>${where}</span>
    ${button(Math.max(start - limit, 0), texts.format('diffPrevious'), start > 0)}
    ${button(start + rows.length, texts.format('diffNext'), state === 'more')}
    ${state === 'slow' && html`<span class="pwv-dim">${texts.format('diffSlow')}</span>`}
    ${state === 'cut' && html`<span class="pwv-dim">${texts.format('diffCut')}</span>`}
  </div>`;
}
