import type { CostsAnswer, CostsValue } from '../../contract';
import { html, type Markup } from '../markup';
import { table } from '../tables';
import type { Texts } from '../texts';
import type { Words } from '../words';

const WIDTH = 320;
const HEIGHT = 116;

interface Curve {
  readonly title: keyof Words;
  readonly hint: keyof Words;
  readonly css: string;
  readonly values: readonly (number | null)[];
  readonly bars?: boolean;
  text(value: number): string;
}

/**
 * Return the cost curves with their newest values as text; the curves themselves are drawn only if no figure shows
 * them.
 */
export function costsMarkup(
  answer: CostsAnswer | null,
  isPlotted: boolean,
  texts: Texts
): Markup {
  if (answer === null) {
    return html`<p class="pwv-dim" role="status">
      ${texts.format('loading')}
    </p>`;
  }
  const { costs } = answer;
  if (costs.ids.length === 0 || costs.first === null || costs.last === null) {
    return html`<p class="pwv-empty">${texts.format('costsNone')}</p>`;
  }
  const range = { from: costs.first, to: costs.last };
  const shown = curves(costs, texts).filter(
    each => costs.keyed || each.title === 'writeAmplification' || each.bars
  );
  return html`<p>
      ${texts.format('costsOf', range)}
      ${!costs.complete && html`<span class="pwv-dim" role="status">${texts.format('costsReading', range)}</span>`}
    </p>
    <div class="pwv-curves${isPlotted && ' pwv-plotted'}">
      ${shown.map(each => curve(each, costs, isPlotted, texts))}
    </div>`;
}

function curves(costs: CostsValue, texts: Texts): Curve[] {
  const times = (value: number) => `${value.toFixed(2)} ×`;
  return [
    {
      title: 'writeAmplification',
      hint: 'writeAmplificationHint',
      css: 'pwv-l0',
      values: costs.write_amplification,
      text: times
    },
    {
      title: 'readAmplification',
      hint: 'readAmplificationHint',
      css: 'pwv-last',
      values: costs.read_amplification,
      text: value => value.toFixed(2)
    },
    {
      title: 'spaceAmplification',
      hint: 'spaceAmplificationHint',
      css: 'pwv-middle',
      values: costs.space_amplification,
      text: times
    },
    {
      title: 'compactedBytes',
      hint: 'compactedBytesHint',
      css: 'pwv-last',
      values: costs.compacted.map(Number),
      bars: true,
      text: value => texts.size(Math.round(value))
    }
  ];
}

function curve(
  each: Curve,
  costs: CostsValue,
  isPlotted: boolean,
  texts: Texts
): Markup {
  const known = each.values.filter(value => value !== null);
  const most = known.reduce((one, other) => Math.max(one, other), 0) || 1;
  const newest = known[known.length - 1] ?? null;
  const name = texts.format(each.title);
  const head = html`<h4>
      ${name}<b>${newest !== null && !each.bars && each.text(newest)}</b>
    </h4>
    <p>${texts.format(each.hint)}</p>`;
  if (isPlotted) {
    return html`<div class="pwv-curve">${head}</div>`;
  }
  const ends = `${texts.format('costsOf', { from: costs.ids[0], to: costs.ids[costs.ids.length - 1] })}`;
  const label = `${name}, ${ends}: ${newest === null ? texts.format('none') : each.text(newest)}`;
  return html`<figure class="pwv-curve ${each.css}">
    ${head}
    <svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${label}"
    >
      <line x1="0" x2="${WIDTH}" y1="${HEIGHT - 1}" y2="${HEIGHT - 1}"></line>
      <line x1="0" x2="${WIDTH}" y1="1" y2="1" stroke-dasharray="2 4"></line>
      ${each.bars ? bars(each.values, most) : line(each.values, most)}
    </svg>
    <div class="pwv-ends" aria-hidden="true">
      <span>${costs.ids[0]}</span><span>max ${each.text(most)}</span
      ><span>${costs.ids[costs.ids.length - 1]}</span>
    </div>
  </figure>`;
}

function line(values: readonly (number | null)[], most: number): Markup {
  const step = WIDTH / Math.max(1, values.length);
  let path = '';
  let area = '';
  let start: number | null = null;
  let last = 0;
  const close = (x: number) => {
    area += start === null ? '' : `V${HEIGHT - 1}H${start}Z`;
    start = null;
    last = x;
  };
  values.forEach((value, index) => {
    const x = round(index * step);
    if (value === null) {
      close(x);
      return;
    }
    const y = round(HEIGHT - 1 - (value / most) * (HEIGHT - 4));
    const begins = start === null;
    path += begins
      ? `M${x} ${y}H${round(x + step)}`
      : `V${y}H${round(x + step)}`;
    area += begins
      ? `M${x} ${HEIGHT - 1}V${y}H${round(x + step)}`
      : `V${y}H${round(x + step)}`;
    start ??= x;
  });
  close(last);
  return html`<path class="pwv-area" d="${area}"></path
    ><path class="pwv-line" d="${path}"></path>`;
}

function bars(values: readonly (number | null)[], most: number): Markup {
  const step = WIDTH / Math.max(1, values.length);
  const wide = round(Math.max(step * 0.8, 0.6));
  const path = values
    .map((value, index) => {
      const height = round(((value ?? 0) / most) * (HEIGHT - 4));
      return height > 0
        ? `M${round(index * step)} ${HEIGHT - 1}v${-height}h${wide}v${height}z`
        : '';
    })
    .join('');
  return html`<path d="${path}" fill="var(--pwv-stroke)"></path>`;
}

function round(value: number): number {
  return +value.toFixed(2);
}

/** Return the costs as a table, newest commit first. */
export function costsTable(costs: CostsValue, texts: Texts): Markup {
  const heads = [
    texts.format('snapshot'),
    texts.format('time'),
    texts.format('costsWritten'),
    texts.format('compactedBytes'),
    texts.format('costsRead'),
    texts.format('writeAmplification'),
    texts.format('readAmplification'),
    texts.format('spaceAmplification')
  ];
  const ratio = (value: number | null) =>
    value === null ? '' : value.toFixed(2);
  const rows = costs.ids.map((id, index) => [
    id,
    texts.time(costs.times[index]),
    texts.size(costs.written[index]),
    texts.size(costs.compacted[index]),
    texts.size(costs.read[index]),
    ratio(costs.write_amplification[index]),
    ratio(costs.read_amplification[index]),
    ratio(costs.space_amplification[index])
  ]);
  return table(texts.format('costsTable'), heads, rows.reverse());
}
