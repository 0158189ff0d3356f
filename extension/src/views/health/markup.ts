import type {
  FindingValue,
  FixPreviewValue,
  HealthCheckValue,
  HealthPlaceValue,
  HealthValue
} from '../../contract';
import { facts } from '../details';
import { html, type Markup } from '../markup';
import { plainTable, scrollRegion } from '../tables';
import type { Texts } from '../texts';

export type Severity = HealthValue['condition'];

/** The sign of each severity, for readers who cannot see its color. */
export const SEVERITY_SIGNS: Record<Severity, string> = {
  good: '✓',
  notice: 'i',
  attention: '!',
  poor: '✕'
};
const HEADINGS = {
  good: 'healthGood',
  notice: 'healthNotice',
  attention: 'healthAttention',
  poor: 'healthPoor'
} as const;
const NAMES = {
  good: 'severityGood',
  notice: 'severityNotice',
  attention: 'severityAttention',
  poor: 'severityPoor'
} as const;
const SHADES = 5;

/** The state of a card besides its finding. */
export interface CardState {
  readonly open: boolean;
  /** Whether it is the tab stop of the list. */
  readonly stop: boolean;
  readonly preview: FixPreviewValue | null;
  /** Whether cells can be inserted, as in table pages. */
  readonly inserts: boolean;
  /** Whether the catalog refuses every change. */
  readonly readOnly: boolean;
}

export function severityName(severity: Severity, texts: Texts): string {
  return texts.format(NAMES[severity]);
}

/** Return the condition of a table or a catalog in words. */
export function conditionMarkup(
  condition: Severity,
  text: string,
  texts: Texts
): Markup {
  return html`<p class="pwv-condition" data-severity="${condition}">
    <span class="pwv-sign" aria-hidden="true"
      >${SEVERITY_SIGNS[condition]}</span
    >
    <span><b>${texts.format(HEADINGS[condition])}.</b> ${text}</span>
  </p>`;
}

/** Return one finding as a card that can be expanded. */
export function findingCard(
  finding: FindingValue,
  state: CardState,
  texts: Texts
): Markup {
  const { id, severity, title, amount_text: number } = finding;
  return html`<li data-severity="${severity}">
    <details class="pwv-finding" data-finding="${id}" ${state.open && OPEN}>
      <summary data-focus="finding:${id}" tabindex="${state.stop ? '0' : '-1'}">
        <span class="pwv-finding-sign" aria-hidden="true"
          >${SEVERITY_SIGNS[severity]}</span
        >
        <span class="pwv-finding-title"
          ><span class="pwv-hidden">${severityName(severity, texts)}: </span
          >${title}</span
        >
        <span class="pwv-finding-number"
          >${
            finding.limit_text === ''
              ? number
              : texts.format('healthNumber', {
                  number,
                  limit: finding.limit_text
                })
          }</span
        >
        ${finding.limit !== null && bar(finding)}
      </summary>
      <div class="pwv-finding-body">
        ${facts([
          [texts.format('healthWhy'), finding.why],
          [texts.format('healthRead'), finding.read],
          [texts.format('healthWrite'), finding.write],
          [texts.format('healthGain'), finding.gain],
          [texts.format('healthAdvice'), finding.advice]
        ])}
        ${fixMarkup(finding, state, texts)}
        ${state.preview && previewMarkup(state.preview, texts)}
        ${finding.places.length > 0 && placesMarkup(finding, texts)}
      </div>
    </details>
  </li>`;
}

const OPEN = html`open`;

/** Return the number as a bar, with its limit as a line across it. */
function bar({ amount, limit }: FindingValue): Markup {
  const full = Math.max(Math.abs(amount), Math.abs(limit ?? 0), 1e-9);
  const width = (value: number) =>
    Math.round((Math.min(Math.abs(value) / full, 1) * 1000) / 10);
  const at = width(limit ?? 0);
  return html`<svg
    class="pwv-bar"
    viewBox="0 0 102 16"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <rect x="0" y="4" width="100" height="8" rx="2" />
    <rect
      class="pwv-bar-amount"
      x="0"
      y="4"
      width="${Math.max(width(amount), 1)}"
      height="8"
      rx="2"
    />
    ${!!limit && html`<line x1="${at}" x2="${at}" y1="0" y2="16" />`}
  </svg>`;
}

function fixMarkup(
  { id, fix }: FindingValue,
  { inserts, readOnly }: CardState,
  texts: Texts
): Markup {
  if (fix === null) {
    return html`<p class="pwv-dim">${texts.format('healthNoFix')}</p>`;
  }
  const button = (action: string, text: string) =>
    html`<button
      type="button"
      data-action="${action}"
      data-id="${id}"
      data-focus="${action}:${id}"
    >
      ${text}
    </button>`;
  return html`<div class="pwv-fix">
    <code>${fix.sql}</code>
    <code class="pwv-dim">${fix.python}</code>
    ${
      fix.loss !== '' &&
      html`<p><b>${texts.format('healthLoss')}:</b> ${fix.loss}</p>`
    }
    ${
      readOnly &&
      html`<p class="pwv-dim">${texts.format('readOnlyCatalog')}</p>`
    }
    <div class="pwv-fix-buttons">
      ${button(
        'preview',
        texts.format(inserts ? 'insertPreview' : 'tryInSandbox')
      )}
      ${inserts && !readOnly && button('insert', texts.format('insertFix'))}
      ${button('copy-sql', texts.format('copySql'))}
      ${button('copy-python', texts.format('copyPythonFix'))}
    </div>
  </div>`;
}

/** Return the numbers of a table before and after a fix that was tried. */
function previewMarkup(preview: FixPreviewValue, texts: Texts): Markup {
  const { before, after } = preview;
  const rows: [string, string, string][] = [
    [
      texts.format('filesField'),
      texts.count(before.files),
      texts.count(after.files)
    ],
    [texts.format('size'), texts.size(before.size), texts.size(after.size)],
    [
      texts.format('rowsTotal'),
      texts.count(before.stored_rows),
      texts.count(after.stored_rows)
    ],
    [
      texts.format('runsField'),
      texts.count(before.runs),
      texts.count(after.runs)
    ],
    [
      texts.format('readAmplification'),
      `${texts.ratio(before.read_amplification)} ×`,
      `${texts.ratio(after.read_amplification)} ×`
    ],
    [
      texts.format('snapshotsField'),
      texts.count(before.snapshots),
      texts.count(after.snapshots)
    ],
    [
      texts.format('condition'),
      severityName(before.condition, texts),
      severityName(after.condition, texts)
    ]
  ];
  const tried = texts.format('sandboxTried', {
    seconds: texts.ratio(preview.seconds),
    written: texts.format('files', { n: BigInt(preview.files_written) }),
    writtenSize: texts.size(preview.bytes_written),
    deleted: texts.format('files', { n: BigInt(preview.files_deleted) }),
    deletedSize: texts.size(preview.bytes_deleted)
  });
  return html`<div class="pwv-preview">
    <p>
      ${tried}
      <b>${texts.format(preview.gone ? 'findingGone' : 'findingRemains')}</b>
    </p>
    ${grid(texts.format('tryInSandbox'), ['', texts.format('before'), texts.format('after')], rows)}
  </div>`;
}

/** Return the buckets and partitions of a finding: a strip of shaded cells, and a list. */
function placesMarkup(finding: FindingValue, texts: Texts): Markup {
  const { places, places_total: total } = finding;
  const most = Math.max(...places.map(({ amount }) => Math.abs(amount)), 1e-9);
  const shade = ({ amount }: HealthPlaceValue) =>
    Math.max(1, Math.round((Math.abs(amount) / most) * SHADES));
  const shown =
    places.length < total
      ? `, ${texts.format('healthPlacesShown', { shown: places.length })}`
      : '';
  return html`<details data-places="${finding.id}">
    <summary>${texts.format('healthPlaces', { n: total })}${shown}</summary>
    <div class="pwv-strip" aria-hidden="true">
      ${places.map(
        place =>
          html`<span
            class="pwv-shade${shade(place)} ${place.severity === 'poor' && POOR}${
              place.severity === 'attention' && FAIR
            }"
            title="${place.label}: ${place.text}"
          ></span>`
      )}
    </div>
    ${grid(
      texts.format('healthPlaces', { n: total }),
      [texts.format('place'), texts.format('number'), texts.format('severity')],
      places.map(place => [
        place.label,
        place.text,
        severityName(place.severity, texts)
      ])
    )}
  </details>`;
}

const POOR = html`pwv-poor`;
const FAIR = html`pwv-fair`;

/** Return all checks with their results. */
export function checksMarkup(
  { checked, storage }: HealthValue,
  open: boolean,
  texts: Texts
): Markup {
  const made = checked.filter(({ text }) => text !== '');
  return html`<details data-checks ${open && OPEN}>
      <summary data-focus="checks">
        ${texts.format('healthChecks', { n: made.length })}
      </summary>
      <ul class="pwv-checks">
        ${made.map(check => checkMarkup(check, texts))}
      </ul>
    </details>
    ${
      !storage &&
      html`<p class="pwv-dim">
        ${texts.format('healthNotListed')}
        <button type="button" data-action="storage" data-focus="storage">
          ${texts.format('listDirectories')}
        </button>
      </p>`
    }`;
}

function checkMarkup(
  { title, text, severity }: HealthCheckValue,
  texts: Texts
): Markup {
  return html`<li>
    <span aria-hidden="true">${SEVERITY_SIGNS[severity]}</span>
    <span
      ><span class="pwv-hidden">${severityName(severity, texts)}: </span
      ><b>${title}.</b> ${text}</span
    >
  </li>`;
}

/** Return the findings as a table. */
export function findingsTable({ findings }: HealthValue, texts: Texts): Markup {
  return grid(
    texts.format('finding'),
    [
      texts.format('severity'),
      texts.format('finding'),
      texts.format('number'),
      texts.format('limit'),
      texts.format('statementOfFix')
    ],
    findings.map(each => [
      severityName(each.severity, texts),
      each.title,
      each.amount_text,
      each.limit_text,
      each.fix?.sql ?? each.advice
    ])
  );
}

/** Return a table of texts in a labeled region that can be scrolled by keyboard. */
export function grid(
  name: string,
  heads: readonly string[],
  rows: readonly (readonly string[])[]
): Markup {
  return scrollRegion(name, plainTable(null, heads, rows));
}
