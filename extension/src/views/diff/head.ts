import type { DiffValue, EndValue } from '../../contract';
import { html, type Markup } from '../markup';
import type { Texts } from '../texts';

const MODES = [
  ['diff', 'diffModeDiff'],
  ['delta', 'diffModeDelta'],
  ['changelog', 'diffModeChangelog'],
  ['auto', 'diffModeAuto']
] as const;

/** Return the title, the dropdowns for both versions and for the source of rows, and the notes on the comparison. */
export function headMarkup(
  value: DiffValue,
  isChosen: boolean,
  texts: Texts
): Markup {
  const { before, after, choices, requested, notes } = value;
  const title =
    choices.length > 0
      ? texts.format('diffTitle', { table: value.table })
      : texts.format('diffBetween', {
          before: `${before.table}, ${before.text}`,
          after: `${after.table}, ${after.text}`
        });
  return html`<h3>
      ${title}
      ${choices.length > 0 && html`<small>${before.text} → ${after.text}</small>`}
    </h3>
    <div class="pwv-diff-ends">
      ${choices.length > 0 && endSelect('before', before, value, texts)}
      ${choices.length > 0 && endSelect('after', after, value, texts)}
      <label
        >${texts.format('diffSource')}
        <select data-focus="mode" data-choice="mode">
          ${MODES.map(
            ([mode, word]) =>
              html`<option value="${mode}" ${mode === requested && 'selected'}>
                ${texts.format(word)}
              </option>`
          )}
        </select></label
      >
      ${isChosen && html`<button type="button" data-focus="usual" data-usual="">${texts.format('diffUsual')}</button>`}
    </div>
    <p class="pwv-dim">${value.source}</p>
    ${
      notes.length > 0 &&
      html`<ul class="pwv-diff-notes">
        ${notes.map(note => html`<li>${note}</li>`)}
      </ul>`
    }`;
}

function endSelect(
  end: 'before' | 'after',
  shown: EndValue,
  { choices }: DiffValue,
  texts: Texts
): Markup {
  const isListed = choices.some(({ ref }) => ref === shown.ref);
  const options = isListed ? choices : [shown, ...choices];
  return html`<label
    >${texts.format(end === 'before' ? 'diffFrom' : 'diffTo')}
    <select data-focus="${end}" data-choice="${end}">
      ${options.map(
        ({ ref, text }) =>
          html`<option value="${ref}" ${ref === shown.ref && 'selected'}>
            ${text}
          </option>`
      )}
    </select></label
  >`;
}
