import type { BiographyValue } from '../../contract';
import { html, type Markup } from '../markup';
import type { Texts } from '../texts';

/** Return the title, the row, and what is known about it. */
export function headMarkup(value: BiographyValue, texts: Texts): Markup {
  const row = value.key.map(({ name, text }) => `${name} = ${text}`).join(', ');
  const unread = value.unread.map(({ file }) => file).join(', ');
  return html`<h3>
      ${texts.format('biographyTitle', { table: value.table })}${
        value.snapshot !== null &&
        html` <small
          >${texts.format('atSnapshot', { id: value.snapshot })}</small
        >`
      }
    </h3>
    <p><b>${row}</b></p>
    <p class="${value.versions.length === 0 && 'pwv-empty'}">
      ${value.summary}
    </p>
    ${value.history && html`<p class="pwv-dim">${value.history}</p>`}
    ${
      !value.complete &&
      html`<p class="pwv-dim" role="status">
        ${texts.format('biographyReading', { id: value.read_from ?? '' })}
      </p>`
    }
    ${
      !value.agrees &&
      html`<p class="pwv-notice" role="alert">
        ${texts.format('biographyDisagrees')}
      </p>`
    }
    ${
      unread &&
      html`<p class="pwv-notice">
        ${texts.format('biographyUnread', { n: value.unread.length, files: unread })}
      </p>`
    }`;
}

/** Return the title and a hint while there is no biography. */
export function emptyHead(table: string, hint: string, texts: Texts): Markup {
  return html`<h3>${texts.format('biographyTitle', { table })}</h3>
    <p class="pwv-dim">${hint}</p>`;
}
