import { choosable } from '../choice';
import type { CompactionsValue, CompactionValue } from '../../contract';
import { html, type Markup } from '../markup';
import { sum, type Texts } from '../texts';
import { placeOf, ruleBadge, ruleName } from './rules';

interface ListState {
  readonly selected: string | null;
  /** The compaction that is the tab stop. */
  readonly stop: string | null;
  readonly isListing: boolean;
}

/** Return the compactions as a list with one tab stop, newest first. */
export function listMarkup(
  { compactions, next }: CompactionsValue,
  { selected, stop, isListing }: ListState,
  texts: Texts
): Markup {
  const largest = Math.max(
    1,
    ...compactions.map(readOf),
    ...compactions.map(wroteOf)
  );
  return html`<div
      class="pwv-comp-list"
      role="listbox"
      data-ring="compactions"
      aria-label="${texts.format('compactionList')}"
    >
      ${compactions.map(each => item(each, largest, selected, stop, texts))}
    </div>
    ${
      next !== null &&
      html`<button
        type="button"
        data-focus="more"
        data-more="${next}"
        ${isListing && html`aria-disabled="true"`}
      >
        <span role="status"
          >${texts.format(isListing ? 'readingCompactions' : 'moreCompactions')}</span
        >
      </button>`
    }`;
}

function item(
  each: CompactionValue,
  largest: number,
  selected: string | null,
  stop: string | null,
  texts: Texts
): Markup {
  const moves = each.files_read === 0;
  return html`<div
    class="pwv-comp"
    role="option"
    data-compaction="${each.id}"
    ${choosable({
      focus: `compaction:${each.id}`,
      isTabStop: each.id === stop,
      isSelected: each.id === selected,
      label: itemLabel(each, texts)
    })}
  >
    <span>${each.snapshot}</span>
    <span>${ruleBadge(each.rule, texts)}</span>
    <span class="pwv-comp-where">${placeOf(each, texts)}</span>
    ${
      moves
        ? html`<span>${movedText(each, texts)}</span>`
        : html`<span class="pwv-flowbar">
            <b style="width:${share(readOf(each), largest)}"></b>
            <small
              >${texts.size(each.bytes_read)} →
              ${texts.size(each.bytes_written)}</small
            >
            <b style="width:${share(wroteOf(each), largest)}"></b>
          </span>`
    }
    <span class="pwv-comp-time">${texts.time(each.time_millis)}</span>
  </div>`;
}

function itemLabel(each: CompactionValue, texts: Texts): string {
  const facts = {
    id: each.snapshot,
    where: placeOf(each, texts),
    rule: ruleName(each.rule, texts)
  };
  if (each.files_read === 0) {
    const moved = texts.format('files', { n: each.files_moved });
    const level = String(each.output_level);
    return texts.format('compactionMovedItem', { ...facts, moved, level });
  }
  return texts.format('compactionItem', {
    ...facts,
    read: texts.format('files', { n: each.files_read }),
    size: texts.size(each.bytes_read),
    written: texts.format('files', { n: each.files_written }),
    after: texts.size(each.bytes_written)
  });
}

function movedText(each: CompactionValue, texts: Texts): string {
  const from = each.input_levels.map(level => `L${level}`).join(', ');
  const files = texts.format('files', { n: each.files_moved });
  const levels = texts.format('intoLevel', {
    from,
    to: String(each.output_level)
  });
  return `${files}, ${levels}`;
}

function readOf(each: CompactionValue): number {
  return Math.sqrt(Number(each.bytes_read));
}

function wroteOf(each: CompactionValue): number {
  return Math.sqrt(Number(each.bytes_written));
}

/** Lengths are proportional to square roots, so that small compactions stay visible next to full ones. */
function share(value: number, largest: number): string {
  return `${Math.round((value / largest) * 100)}%`;
}

/** Return how much all listed compactions read and wrote. */
export function listSummary(
  { compactions, next }: CompactionsValue,
  texts: Texts
): string {
  const n = compactions.length;
  const count = texts.format(
    next === null ? 'compactionCount' : 'compactionCountMore',
    { n }
  );
  const read = texts.size(sum(compactions.map(each => each.bytes_read)));
  const wrote = texts.size(sum(compactions.map(each => each.bytes_written)));
  return `${count}: ${read} → ${wrote}`;
}
