import { choosable } from '../choice';
import type { BucketTotalsValue, LevelsValue } from '../../contract';
import {
  amount,
  conditionOf,
  limitsOf,
  scaleOf,
  type Condition,
  type Limits,
  type Measure
} from '../condition';
import { html, type Markup } from '../markup';
import { focusablesOf } from '../stage';
import { sum, type Texts } from '../texts';
import type { Words } from '../words';

const MEASURES: readonly Measure[] = ['runs', 'files', 'size', 'deletes'];

const MEASURE_WORDS: Record<Measure, keyof Words> = {
  runs: 'measureRuns',
  files: 'measureFiles',
  size: 'measureSize',
  deletes: 'measureDeletes'
};
export const SHADES = 5;
/** A sign beside the number of a bucket, so that its condition is not shown by color alone. */
const SIGNS: Record<Condition, string> = { good: '', fair: ' !', poor: ' ✕' };
const MAX_COLUMNS = 32;
/** The maximum number of columns with which the heat map is beside the tree if there is space. */
const NARROW = 4;

/** Return all buckets of a page, shaded by a measure; the shown bucket is selected. */
export function heatMap(
  value: LevelsValue,
  measure: Measure,
  texts: Texts
): Markup {
  const columns = columnsOf(value.buckets);
  const { thresholds } = value;
  const most = Math.max(...value.buckets.map(item => amount(item, measure)));
  const stop = value.buckets.some(item => item.id === value.bucket?.id)
    ? value.bucket?.id
    : value.buckets[0].id;
  const cell = (item: BucketTotalsValue) => {
    const condition = conditionOf(item, measure, thresholds);
    const labels = [bucketFacts(item, value, texts)];
    if (condition !== 'good') {
      labels.push(texts.format(condition));
    }
    return html`<div
      role="gridcell"
      class="pwv-cell pwv-shade${shade(amount(item, measure), scaleOf(item, measure, thresholds) ?? most)} pwv-${condition}"
      data-bucket="${item.id}"
      ${choosable({
        focus: `bucket:${item.id}`,
        isTabStop: item.id === stop,
        isSelected: item.id === value.bucket?.id,
        label: labels.join(', ')
      })}
      ${
        columns
          ? html`style="grid-column:${columns.indexOf(item.bucket) + 2}"`
          : html`data-name="#${item.bucket}"`
      }
    >
      ${measured(item, measure, texts)}${SIGNS[condition]}
    </div>`;
  };
  const rows = byPartition(value.buckets).map(
    ([partition, items]) =>
      html`<div role="row" class="pwv-row">
        <div role="rowheader" class="pwv-row-name">
          ${partition || texts.format('bucketsTitle')}
        </div>
        ${columns ? items.map(cell) : html`<div class="pwv-flow">${items.map(cell)}</div>`}
      </div>`
  );
  return html`${tools(value, measure, most, texts)}
    <div class="pwv-scroll pwv-heat-scroll">
      <div
        role="grid"
        class="pwv-heat ${columns ? 'pwv-matrix' : ''} ${columns && columns.length <= NARROW ? 'pwv-narrow' : ''}"
        data-ring="heat"
        aria-label="${texts.format('bucketsTitle')}"
        ${columns && html`style="--pwv-columns:${columns.length}"`}
      >
        ${columns && columnNames(columns, texts)}${rows}
      </div>
    </div>
    ${
      value.next !== null &&
      html`<button
        type="button"
        data-focus="more-buckets"
        data-more="${value.next}"
      >
        ${texts.format('moreBuckets')}
      </button>`
    }`;
}

/** Return all numbers of a bucket in one sentence. */
export function bucketFacts(
  item: BucketTotalsValue,
  { keys }: LevelsValue,
  texts: Texts
): string {
  const deletes =
    item.deletes === null
      ? `${texts.format('deletesField')}: ${texts.format('notCounted')}`
      : `${texts.format('deletes', { n: BigInt(item.deletes) })} (${texts.percent(item.deletes, item.rows)})`;
  const keyed = keys.length > 0;
  const levels = item.levels.map(
    level =>
      `L${level.level}: ${texts.format('files', { n: level.files })}, ${texts.size(level.size)}`
  );
  return [
    ...(item.partition ? [item.partition] : []),
    texts.format('bucketName', { id: String(item.bucket) }),
    ...(keyed ? [texts.format('runs', { n: item.runs })] : []),
    texts.format('files', { n: item.files }),
    texts.format('rows', { n: BigInt(item.rows) }),
    ...(keyed ? [deletes] : []),
    texts.size(item.size),
    ...(keyed ? levels : [])
  ].join(', ');
}

/** Return the totals of the page's buckets, shown above the heat map. */
export function tableFacts(value: LevelsValue, texts: Texts): string {
  const { buckets, total, keys } = value;
  const keyed = keys.length > 0;
  const facts = [
    texts.format('files', {
      n: buckets.reduce((count, item) => count + item.files, 0)
    }),
    texts.format('rowsStored', {
      n: sum(buckets.map(item => item.rows))
    }),
    texts.size(sum(buckets.map(item => item.size)))
  ].join(', ');
  const shown =
    buckets.length < total
      ? texts.format('bucketsShown', {
          shown: texts.count(buckets.length),
          n: total
        })
      : texts.format('buckets', { n: total });
  if (!keyed) {
    return `${shown}: ${facts}`;
  }
  const most = Math.max(...buckets.map(item => item.runs));
  return `${shown}: ${facts}; ${texts.format('mostRuns', { n: most })}`;
}

/** Return the cell that an arrow key moves to, or null if it does not move. */
export function heatMapMove(
  grid: Element,
  from: HTMLElement,
  key: string
): HTMLElement | null {
  const positions = focusablesOf(grid);
  const at = positions.indexOf(from);
  switch (key) {
    case 'ArrowLeft':
      return positions[at - 1] ?? null;
    case 'ArrowRight':
      return positions[at + 1] ?? null;
    case 'Home':
      return positions[0];
    case 'End':
      return positions[positions.length - 1];
    case 'ArrowUp':
      return nextLine(positions.slice(0, at).reverse(), from);
    case 'ArrowDown':
      return nextLine(positions.slice(at + 1), from);
    default:
      return null;
  }
}

/** Return the cell in the nearest other row that is closest to being directly above or below. */
function nextLine(
  positions: HTMLElement[],
  from: HTMLElement
): HTMLElement | null {
  const first = positions.find(position => topOf(position) !== topOf(from));
  if (!first) {
    return null;
  }
  const line = positions.filter(position => topOf(position) === topOf(first));
  const offset = (position: HTMLElement) =>
    Math.abs(position.offsetLeft - from.offsetLeft);
  return line.reduce((best, position) =>
    offset(position) < offset(best) ? position : best
  );
}

function topOf(position: HTMLElement): number {
  return position.offsetTop;
}

/** Return the measure if it applies to the table, else the first one that does. */
export function usableMeasure(value: LevelsValue, measure: Measure): Measure {
  const usable = measuresOf(value);
  return usable.includes(measure) ? measure : usable[0];
}

/** Tables without keys have neither sorted runs nor delete rows. */
function measuresOf({ keys }: LevelsValue): readonly Measure[] {
  return keys.length > 0 ? MEASURES : ['files', 'size'];
}

function tools(
  value: LevelsValue,
  measure: Measure,
  most: number,
  texts: Texts
): Markup {
  const options = measuresOf(value).map(
    name =>
      html`<option value="${name}" ${name === measure && 'selected'}>
        ${texts.format(MEASURE_WORDS[name])}
      </option>`
  );
  const limits = sharedLimits(value, measure);
  const ramp = Array.from(
    { length: SHADES + 1 },
    (_, step) => html`<span class="pwv-ramp pwv-shade${step}"></span>`
  );
  const text =
    measure === 'size'
      ? texts.size(most)
      : measure === 'deletes'
        ? texts.percent(String(most), '1000')
        : texts.count(most);
  return html`<div class="pwv-tools">
    <label
      >${texts.format('measure')}
      <select data-focus="measure">
        ${options}
      </select></label
    >
    <span class="pwv-legend" aria-hidden="true"
      >${limits ? limitLegend(limits, measure, texts) : html`0 ${ramp} ${text}`}</span
    >
  </div>`;
}

/** Return the color legend of a measure for which the table's options set limits. */
function limitLegend(limits: Limits, measure: Measure, texts: Texts): Markup {
  const entry = (css: string, word: keyof Words, limit: number) =>
    html`<span
      ><i class="pwv-ramp ${css}"></i>${texts.format(word, {
        limit: limitText(limit, measure, texts)
      })}</span
    >`;
  return html`${entry('pwv-shade2 pwv-good', 'limitFine', limits.fair)}
  ${entry('pwv-shade4 pwv-fair', measure === 'runs' ? 'limitFair' : 'limitOver', limits.fair)}
  ${limits.poor !== Infinity && entry('pwv-shade5 pwv-poor', measure === 'runs' ? 'limitPoor' : 'limitOver', limits.poor)}`;
}

function limitText(limit: number, measure: Measure, texts: Texts): string {
  return measure === 'deletes'
    ? texts.percent(String(Math.round(limit)), '1000')
    : texts.count(limit);
}

function columnNames(columns: number[], texts: Texts): Markup {
  return html`<div role="row" class="pwv-row">
    <div role="columnheader" class="pwv-row-name pwv-dim">
      ${texts.format('partition')} \\ ${texts.format('bucket')}
    </div>
    ${columns.map(
      (bucket, index) =>
        html`<div
          role="columnheader"
          class="pwv-dim"
          style="grid-column:${index + 2}"
        >
          ${bucket}
        </div>`
    )}
  </div>`;
}

/** Return the bucket numbers as columns if partitions share them and there are few, else null. */
function columnsOf(buckets: readonly BucketTotalsValue[]): number[] | null {
  const numbers = [...new Set(buckets.map(item => item.bucket))];
  const partitioned = buckets.some(item => item.partition !== '');
  return partitioned && numbers.length <= MAX_COLUMNS
    ? numbers.sort((a, b) => a - b)
    : null;
}

function byPartition(
  buckets: readonly BucketTotalsValue[]
): [string, BucketTotalsValue[]][] {
  const groups = new Map<string, BucketTotalsValue[]>();
  for (const item of buckets) {
    const group = groups.get(item.partition);
    if (group) {
      group.push(item);
    } else {
      groups.set(item.partition, [item]);
    }
  }
  return [...groups];
}

/** Return the limits of a measure if they are the same for all buckets, else null. */
function sharedLimits(
  { buckets, thresholds }: LevelsValue,
  measure: Measure
): Limits | null {
  const limits = buckets.map(item => limitsOf(item, measure, thresholds));
  const [first] = limits;
  return limits.every(
    each => each?.fair === first?.fair && each?.poor === first?.poor
  )
    ? (first ?? null)
    : null;
}

function measured(
  item: BucketTotalsValue,
  measure: Measure,
  texts: Texts
): string {
  switch (measure) {
    case 'runs':
      return texts.count(item.runs);
    case 'files':
      return texts.count(item.files);
    case 'size':
      return texts.size(item.size);
    case 'deletes':
      return item.deletes === null
        ? '?'
        : texts.percent(item.deletes, item.rows);
  }
}

function shade(value: number, most: number): number {
  return most > 0 ? Math.min(Math.ceil((value / most) * SHADES), SHADES) : 0;
}
