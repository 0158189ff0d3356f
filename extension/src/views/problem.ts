import type { ErrorValue } from '../contract';
import { html, type Markup } from './markup';

/** Return an error with its hint. */
export function problem(error: ErrorValue): Markup {
  return html`<div class="pwv-error" role="alert">
    <p>${error.message}</p>
    ${error.hint !== null && html`<p class="pwv-dim">${error.hint}</p>`}
  </div>`;
}
