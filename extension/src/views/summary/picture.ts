import type { ContentsValue, SummaryValue, VerdictValue } from '../../contract';
import { facts } from '../details';
import {
  conditionText,
  detailsOf,
  figuresOf,
  rowsText,
  SIGNS,
  storedText
} from './headline';
import { html, type Markup } from '../markup';
import { problem } from '../problem';
import type { Texts } from '../texts';

/** Return the name and version of the table, and its content. */
export function summaryMarkup(
  summary: SummaryValue,
  texts: Texts,
  canCount = false
): Markup {
  const { contents, damage, snapshot, table } = summary;
  return html`<h3>
      ${table}${
        snapshot !== null &&
        html` <small>${texts.format('atSnapshot', { id: snapshot })}</small>`
      }
    </h3>
    ${damage && problem(damage)}${
      snapshot === null &&
      html`<p class="pwv-empty">${texts.format('neverWritten')}</p>`
    }${contents?.verdict && verdictMarkup(contents.verdict, texts)}${
      contents &&
      snapshot !== null &&
      figuresMarkup(summary, contents, texts, canCount)
    }${facts(detailsOf(summary, texts).map(({ name, text }) => [name, text]))}`;
}

/** Return the columns and the options of a table as tables. */
export function summaryTables(summary: SummaryValue, texts: Texts): Markup {
  const { fields, options } = summary;
  return html`<div class="pwv-scroll">
      <table>
        <caption>
          ${texts.format('columns')}
        </caption>
        <thead>
          <tr>
            <th scope="col">${texts.format('column')}</th>
            <th scope="col">${texts.format('type')}</th>
            <th scope="col">${texts.format('key')}</th>
            <th scope="col">${texts.format('comment')}</th>
          </tr>
        </thead>
        <tbody>
          ${fields.map(
            ({ name, type, nullable, role, comment }) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td><code>${nullable ? type : `${type} NOT NULL`}</code></td>
                <td>${role}</td>
                <td>${comment ?? ''}</td>
              </tr>`
          )}
        </tbody>
      </table>
    </div>
    ${
      options.length === 0
        ? html`<p class="pwv-dim">${texts.format('defaultOptions')}</p>`
        : html`<div class="pwv-scroll">
            <table>
              <caption>
                ${texts.format('options')}
              </caption>
              <thead>
                <tr>
                  <th scope="col">${texts.format('option')}</th>
                  <th scope="col">${texts.format('value')}</th>
                </tr>
              </thead>
              <tbody>
                ${options.map(
                  ({ key, value }) =>
                    html`<tr>
                      <th scope="row"><code>${key}</code></th>
                      <td><code>${value}</code></td>
                    </tr>`
                )}
              </tbody>
            </table>
          </div>`
    }`;
}

function verdictMarkup(verdict: VerdictValue, texts: Texts): Markup {
  const { condition, text } = verdict;
  return html`<p class="pwv-verdict" data-condition="${condition}">
    <span class="pwv-sign" aria-hidden="true">${SIGNS[condition]}</span>
    <span><b>${conditionText(verdict, texts)}.</b> ${text}</span>
  </p>`;
}

function figuresMarkup(
  summary: SummaryValue,
  contents: ContentsValue,
  texts: Texts,
  canCount: boolean
): Markup {
  const { count } = contents;
  return html`<dl class="pwv-figures">
    <div>
      <dt>${texts.format('rowsField')}</dt>
      <dd class="pwv-rows">${rowsText(count, texts)}</dd>
      <dd>
        <small>${storedText(count, summary, contents, texts)}</small>${
          canCount &&
          !count?.exact &&
          html` <button type="button" data-focus="count">
            ${texts.format('countExactly')}
          </button>`
        }
      </dd>
    </div>
    ${figuresOf(summary, contents, texts).map(
      ({ name, text }) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${text}</dd>
        </div>`
    )}
  </dl>`;
}
