import { choosable } from '../choice';
import type {
  BucketTotalsValue,
  BucketValue,
  FileValue,
  LevelsValue,
  RunValue
} from '../../contract';
import { overlapOf } from './geometry';
import { axisMarkup } from './axis';
import { html, type Markup } from '../markup';
import { SHADES } from './heatmap';
import { sum, type Texts } from '../texts';

/** A bucket to draw, and the state of its picture. */
export interface TreePicture {
  bucket: BucketValue;
  /** The key columns; none for an append table. */
  keys: readonly string[];
  /** The file that is the tab stop, and the selected one. */
  stop: string | null;
  selected: string | null;
  /** The names of the files that the previous version did not have. */
  fresh: ReadonlySet<string>;
  /** Whether a bar can represent several files, so that their overlap is unknown. */
  combined: boolean;
  /** The width of the picture, in multiples of the page width. */
  zoom: number;
}

const TREE_HEIGHT = 480;
const MAX_LANE = 38;
const MIN_LANE = 6;
/** The bars of lanes lower than this have no labels; still lower lanes have no names. */
const LABEL_LANE = 20;
const NAME_LANE = 12;
/** If a lane has more files than this, bars have no borders. */
const MAX_APART = 150;
const LEAST_LABEL_SHARE = 0.004;
/** The label of a bar that is narrower than this is beside the bar if the bar is alone in its lane. */
const NARROW_SHARE = 0.03;

/** Return the sorted runs of a bucket over the key range, from the newest run to the last level. */
export function treePicture(picture: TreePicture, texts: Texts): Markup {
  const { bucket, keys } = picture;
  const overlap =
    keys.length > 0 && !picture.combined ? overlapOf(bucket) : null;
  return html`<div class="pwv-scroll pwv-tree-scroll">
      <div
        role="grid"
        class="pwv-plane pwv-${density(bucket)}"
        data-ring="tree"
        aria-label="${texts.format('levels')}: ${bucketTitle(bucket, texts)}"
        style="--pwv-zoom:${picture.zoom};--pwv-lane:${laneHeight(bucket)}px"
      >
        ${levelsOf(bucket)
          .map((runs, index, all) => [
            emptyLevels(all[index - 1]?.[0].level, runs[0].level, texts),
            level(picture, runs, texts)
          ])
          .flat()}
        <div class="pwv-foot" role="presentation">
          ${overlap && overlapStrip(overlap, texts)}
          ${axisMarkup(bucket, keys, picture.zoom, texts)}
        </div>
      </div>
    </div>
    ${legend(picture, texts)}`;
}

export function filesOf(bucket: BucketValue): FileValue[] {
  return bucket.runs.flatMap(run => run.files);
}

/** Return `bucket 0`, or `dt=2026-11-01, bucket 0`. */
export function bucketTitle(bucket: BucketValue, texts: Texts): string {
  const name = texts.format('bucketName', { id: String(bucket.bucket) });
  return bucket.partition ? `${bucket.partition}, ${name}` : name;
}

/** Return the totals of a bucket if a notebook saved fewer bars than files, else null. */
export function combinedTotals(
  bucket: BucketValue,
  buckets: readonly BucketTotalsValue[]
): BucketTotalsValue | null {
  const totals = buckets.find(item => item.id === bucket.id);
  return totals && totals.files > filesOf(bucket).length ? totals : null;
}

/** Return the numbers of runs, files, rows and bytes of a bucket, and how many runs reads merge. */
export function bucketSummary(
  bucket: BucketValue,
  { buckets, keys }: LevelsValue,
  texts: Texts
): string {
  const keyed = keys.length > 0;
  const files = filesOf(bucket);
  const combined = combinedTotals(bucket, buckets);
  const facts = combined ?? {
    runs: bucket.runs.length,
    files: files.length,
    rows: sum(files.map(file => file.rows)),
    size: sum(files.map(file => file.size))
  };
  const all = [
    texts.format('files', { n: facts.files }),
    texts.format('rowsStored', { n: BigInt(facts.rows) }),
    texts.size(facts.size)
  ].join(', ');
  if (!keyed) {
    return all;
  }
  const summary = `${texts.format('runs', { n: facts.runs })}, ${all}`;
  if (combined) {
    return summary;
  }
  const merge =
    bucket.merged_runs > 1
      ? texts.format('mergesRuns', { n: bucket.merged_runs })
      : texts.format('mergesNothing');
  return `${summary}; ${merge}`;
}

/** Return the accessible name of a file: one sentence with its facts. */
export function fileLabel(file: FileValue, texts: Texts): string {
  const facts = [
    file.name,
    ...(file.min_key === null ? [] : [`L${file.level}`]),
    texts.format('rows', { n: BigInt(file.rows) })
  ];
  if (file.deletes !== null && file.deletes !== '0') {
    facts.push(texts.format('deletes', { n: BigInt(file.deletes) }));
  }
  facts.push(texts.size(file.size));
  if (file.min_key !== null && file.max_key !== null) {
    const range = { from: file.min_key, to: file.max_key };
    facts.push(texts.format('keysRange', range));
  }
  return facts.join(', ');
}

function levelsOf(bucket: BucketValue): RunValue[][] {
  const levels: RunValue[][] = [];
  for (const run of bucket.runs) {
    const last = levels[levels.length - 1];
    if (last && last[0].level === run.level) {
      last.push(run);
    } else {
      levels.push([run]);
    }
  }
  return levels;
}

/** Return the height of a run in pixels: the more runs there are, the lower, so that the tree stays visible. */
function laneHeight(bucket: BucketValue): number {
  const fitting = Math.floor(TREE_HEIGHT / bucket.runs.length);
  return Math.min(Math.max(fitting, MIN_LANE), MAX_LANE);
}

function density(bucket: BucketValue): 'roomy' | 'dense' | 'thin' {
  const height = laneHeight(bucket);
  return height >= LABEL_LANE
    ? 'roomy'
    : height >= NAME_LANE
      ? 'dense'
      : 'thin';
}

function emptyLevels(
  above: number | undefined,
  level: number,
  texts: Texts
): Markup {
  const from = (above ?? level) + 1;
  if (from >= level) {
    return html``;
  }
  const text =
    from === level - 1
      ? texts.format('levelEmpty', { level: String(from) })
      : texts.format('levelsEmpty', {
          from: String(from),
          to: String(level - 1)
        });
  return html`<div class="pwv-gap" role="presentation">
    <span>${text}</span>
  </div>`;
}

function level(picture: TreePicture, runs: RunValue[], texts: Texts): Markup {
  const files = runs.flatMap(run => run.files);
  const label = texts.format('levelLabel', {
    level: String(runs[0].level),
    runs: texts.format('runs', { n: runs.length }),
    files: texts.format('files', { n: files.length }),
    rows: texts.format('rows', { n: sum(files.map(file => file.rows)) }),
    size: texts.size(sum(files.map(file => file.size)))
  });
  const css = levelClass(picture.bucket, runs[0].level);
  return html`<div
    role="rowgroup"
    class="pwv-level ${css}"
    aria-label="${label}"
  >
    ${runs.map((run, index) => lane(picture, run, [index + 1, runs.length], texts))}
  </div>`;
}

function levelClass(bucket: BucketValue, level: number): string {
  const last = bucket.runs[bucket.runs.length - 1].level;
  return level === 0 ? 'pwv-l0' : level === last ? 'pwv-last' : 'pwv-middle';
}

function lane(
  picture: TreePicture,
  run: RunValue,
  [number, all]: [number, number],
  texts: Texts
): Markup {
  const keyed = picture.keys.length > 0;
  const facts = {
    level: String(run.level),
    n: number,
    all: texts.count(all),
    files: texts.format('files', { n: run.files.length }),
    rows: texts.format('rows', { n: sum(run.files.map(file => file.rows)) }),
    size: texts.size(sum(run.files.map(file => file.size)))
  };
  const crowded = run.files.length > MAX_APART * picture.zoom;
  const labeled = density(picture.bucket) === 'roomy';
  return html`<div
    role="row"
    class="pwv-run"
    aria-label="${texts.format('runLabel', facts)}"
  >
    <div role="rowheader" class="pwv-run-name">
      <b>${keyed ? `L${run.level}` : texts.format('appendLane')}</b
      >${labeled && html`<small>${facts.size}</small>`}
    </div>
    <div class="pwv-track${crowded && ' pwv-crowded'}" role="presentation">
      ${run.files.map(file => bar(picture, file, labeled, texts))}
      ${labeled && run.files.length === 1 && labelBeside(picture, run.files[0], texts)}
    </div>
  </div>`;
}

function bar(
  picture: TreePicture,
  file: FileValue,
  roomy: boolean,
  texts: Texts
): Markup {
  const deletes = file.deletes !== null && file.deletes !== '0';
  const fresh = picture.fresh.has(file.name);
  const labeled =
    roomy && (file.end - file.start) * picture.zoom > LEAST_LABEL_SHARE;
  const css = `pwv-file${labeled ? ' pwv-labeled' : ''}${deletes ? ' pwv-deletes' : ''}${fresh ? ' pwv-new' : ''}`;
  const news = fresh ? `, ${texts.format('newFile')}` : '';
  return html`<div
    role="gridcell"
    class="${css}"
    data-file="${file.name}"
    ${choosable({
      focus: `file:${file.name}`,
      isTabStop: file.name === picture.stop,
      isSelected: file.name === picture.selected,
      label: `${fileLabel(file, texts)}${news}`
    })}
    style="${position(file)}"
  >
    ${labeled && html`<span>${texts.format('rows', { n: BigInt(file.rows) })}</span><span>${texts.size(file.size)}</span>`}
  </div>`;
}

/** Return the label beside a bar that is too narrow for it; nothing else is in its lane. */
function labelBeside(
  { zoom }: TreePicture,
  { start, end, rows }: FileValue,
  texts: Texts
): Markup {
  if ((end - start) * zoom > NARROW_SHARE) {
    return html``;
  }
  const side =
    start < 0.5
      ? `left:calc(${percent(end)} + 16px)`
      : `right:calc(${percent(1 - start)} + 16px)`;
  return html`<small class="pwv-beside" aria-hidden="true" style="${side}"
    >${texts.format('rows', { n: BigInt(rows) })}</small
  >`;
}

/** Return the position of a bar, which is always wide enough to be visible and stays inside its track. */
function position(file: FileValue): string {
  const start = percent(file.start);
  return `left:min(${start},100% - var(--pwv-least));width:max(${percent(file.end - file.start)},var(--pwv-least))`;
}

function percent(share: number): string {
  return `${+(share * 100).toFixed(3)}%`;
}

function overlapStrip(
  intervals: readonly { start: number; end: number; runs: number }[],
  texts: Texts
): Markup {
  return html`<div
    class="pwv-run pwv-overlap"
    role="presentation"
    aria-hidden="true"
  >
    <div class="pwv-run-name" title="${texts.format('legendOverlap')}">
      <small>${texts.format('overlapLane')}</small>
    </div>
    <div class="pwv-track">
      ${intervals.map(
        item =>
          html`<div
            class="pwv-stretch pwv-shade${Math.min(item.runs, SHADES)}"
            title="${texts.format('overlap', { n: item.runs })}"
            style="left:${percent(item.start)};width:${percent(item.end - item.start)}"
          >
            <span>${texts.count(item.runs)}</span>
          </div>`
      )}
    </div>
  </div>`;
}

function legend(picture: TreePicture, texts: Texts): Markup {
  const { bucket, keys } = picture;
  const last = bucket.runs[bucket.runs.length - 1].level;
  const has = (test: (level: number) => boolean) =>
    keys.length > 0 && bucket.runs.some(run => test(run.level));
  const entry = (css: string, text: string) =>
    html`<span><i class="pwv-swatch ${css}"></i>${text}</span>`;
  const files = filesOf(bucket);
  return html`<div class="pwv-legend" aria-hidden="true">
    <span>${texts.format('legendWidth')}</span>
    ${keys.length > 0 && !picture.combined && html`<span>${texts.format('legendOverlap')}</span>`}
    ${has(level => level === 0) && entry('pwv-l0', texts.format('legendNewest'))}
    ${has(level => level > 0 && level < last) && entry('pwv-middle', texts.format('legendMiddle'))}
    ${has(level => level > 0 && level === last) && entry('pwv-last', texts.format('legendLast', { level: String(last) }))}
    ${files.some(file => Number(file.deletes ?? 0) > 0) && entry('pwv-deletes', texts.format('legendDeletes'))}
    ${picture.fresh.size > 0 && entry('pwv-new', texts.format('legendNew'))}
  </div>`;
}
