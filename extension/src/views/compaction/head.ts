import type { CompactionsValue, ErrorValue } from '../../contract';
import { html, type Markup } from '../markup';
import { problem } from '../problem';
import type { Texts } from '../texts';
import type { Words } from '../words';
import { listSummary } from './list';

export type Tab = 'story' | 'replay' | 'costs';

const TABS: readonly [Tab, keyof Words][] = [
  ['story', 'tabStory'],
  ['replay', 'tabReplay'],
  ['costs', 'tabCosts']
];

/** Return the title, followed by notes on missing data and errors. */
export function headMarkup(
  value: CompactionsValue,
  title: string,
  {
    failure,
    isListing
  }: { readonly failure: ErrorValue | null; readonly isListing: boolean },
  texts: Texts
): Markup {
  const none = value.compactions.length === 0;
  const empty =
    value.last === null
      ? texts.format('neverWritten')
      : none && isListing
        ? false
        : none && value.next === null
          ? texts.format('noCompactions')
          : none &&
            texts.format('noCompactionsSince', { id: value.next ?? '' });
  return html`<h3>
      ${title}${!none && html` <small>${listSummary(value, texts)}</small>`}
    </h3>
    ${empty && html`<p class="pwv-empty">${empty}</p>`}
    ${
      value.unread.length > 0 &&
      html`<p class="pwv-dim">
        ${texts.format('unreadCompactions', { n: value.unread.length, ids: value.unread.slice(0, 8).join(', ') })}
      </p>`
    }
    ${failure !== null && problem(failure)}`;
}

/** Return the tabs of the picture, with one tab stop. */
export function tabsMarkup(tab: Tab, texts: Texts): Markup {
  const tabs = TABS.map(
    ([name, word]) =>
      html`<button
        type="button"
        role="tab"
        data-focus="tab:${name}"
        data-tab="${name}"
        tabindex="${name === tab ? 0 : -1}"
        aria-selected="${name === tab ? 'true' : 'false'}"
      >
        ${texts.format(word)}
      </button>`
  );
  return html`<div
    class="pwv-comp-tabs"
    role="tablist"
    data-ring="tabs"
    aria-label="${texts.format('tabsOfCompaction')}"
  >
    ${tabs}
  </div>`;
}
