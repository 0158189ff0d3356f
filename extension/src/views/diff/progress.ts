import type { DiffCountsValue } from '../../contract';
import { html, type Markup } from '../markup';
import type { Texts } from '../texts';

/** Return how far rows are counted, with a button that stops it; or that it was stopped, with one that begins again. */
export function progressMarkup(
  counts: DiffCountsValue | 'pending' | 'stopped',
  isCounting: boolean,
  texts: Texts
): Markup {
  const found = typeof counts === 'object' ? counts : null;
  // Saved values of earlier versions do not say that they are complete.
  if (found && found.complete !== false) {
    return html``;
  }
  const parts = found && {
    counted: texts.count(String(found.counted)),
    n: BigInt(found.parts)
  };
  if (!isCounting) {
    return html`<p class="pwv-notice" role="status">
      ${parts ? texts.format('diffPartial', parts) : texts.format('diffStopped')}
      <button type="button" data-focus="stop" data-count="">
        ${texts.format('diffCountAgain')}
      </button>
    </p>`;
  }
  const text = parts
    ? texts.format('diffCountingParts', parts)
    : texts.format('diffCounting');
  return html`<p class="pwv-tools">
    ${
      found &&
      html`<progress
        max="${found.parts}"
        value="${found.counted}"
        aria-label="${text}"
      ></progress>`
    }
    ${text}
    <button type="button" data-focus="stop" data-stop="">
      ${texts.format('diffStop')}
    </button>
  </p>`;
}
