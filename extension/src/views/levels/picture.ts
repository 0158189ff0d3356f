import type { LevelsValue, RunValue } from '../../contract';
import type { Measure } from '../condition';
import { fileDetails, locatedFiles, type LocatedFile } from '../details';
import { middleOf, nearestFile } from './geometry';
import {
  bucketFacts,
  heatMap,
  heatMapMove,
  tableFacts,
  usableMeasure
} from './heatmap';
import { TableDisclosure } from '../disclosure';
import { showEnds, watchWheel, zoomButton } from './axis';
import { html } from '../markup';
import { drawnFiles, moveFiles } from './motion';
import { newsOf } from './news';
import { moveTo, ringOf, Stage, type View, type ViewHost } from '../stage';
import { levelsTable } from '../tables';
import type { Texts } from '../texts';
import {
  bucketSummary,
  bucketTitle,
  combinedTotals,
  treePicture
} from './tree';

export type LevelsEvent =
  | { kind: 'select-bucket'; id: string }
  | { kind: 'select-file'; name: string }
  | { kind: 'more-buckets'; cursor: string };

const PARTS = ['head', 'heat', 'heat-facts', 'tools', 'tree', 'facts', 'table'];
const ZOOMS = [1, 2, 4, 8, 16];
const PAGE_RUNS = 10;

/** A live picture of a table's LSM tree: its buckets, and the runs and files of one bucket. */
export function levelsView(
  element: HTMLElement,
  host: ViewHost<LevelsEvent>
): View<LevelsValue> {
  return new LevelsPicture(element, host);
}

class LevelsPicture implements View<LevelsValue> {
  private readonly stage: Stage;
  private readonly disclosure: TableDisclosure;
  private value: LevelsValue | null = null;
  private files = new Map<string, LocatedFile>();
  private measure: Measure = 'runs';
  private zoom = 1;
  private stop: string | null = null;
  private selected: string | null = null;
  private pointedFile: string | null = null;
  private pointedBucket: string | null = null;
  private fresh: ReadonlySet<string> = new Set();
  /** The position on the axis along which the arrow keys move up and down. */
  private anchor: number | null = null;

  constructor(
    element: HTMLElement,
    private readonly host: ViewHost<LevelsEvent>
  ) {
    this.stage = new Stage(element, 'levels', PARTS);
    this.disclosure = new TableDisclosure(this.stage.part('table'));
    const { root } = this.stage;
    root.addEventListener('click', event => this.onClick(event));
    root.addEventListener('change', event => this.onChange(event));
    root.addEventListener('keydown', event => this.onKey(event));
    root.addEventListener('focusin', event => this.onFocus(event));
    root.addEventListener('pointerover', event => this.point(event.target));
    root.addEventListener('scroll', () => this.showEnds(), true);
    watchWheel(root, (step, x) => this.changeZoom(step, x));
  }

  update(value: LevelsValue): void {
    const before = this.value;
    const news = newsOf(before, value, this.texts);
    this.value = value;
    this.files = locatedFiles(value.bucket);
    if (
      before?.table !== value.table ||
      before?.bucket?.id !== value.bucket?.id
    ) {
      this.zoom = 1;
      this.anchor = this.stop = this.selected = null;
    }
    if (news) {
      this.fresh = news.fresh;
      this.stage.announce(news.text);
    }
    const tree = this.stage.part('tree');
    const drawn = news?.text ? drawnFiles(tree) : null;
    this.draw(value);
    if (drawn && before?.bucket?.id === value.bucket?.id) {
      moveFiles(tree, drawn);
    }
  }

  dispose(): void {
    this.stage.dispose();
  }

  private get texts(): Texts {
    const isAppended = this.value?.keys.length === 0;
    return this.stage.texts(this.host, isAppended ? 'append' : undefined);
  }

  private draw(value: LevelsValue): void {
    const { stage, texts } = this;
    stage.name(titleOf(value, texts));
    stage.redraw(() => {
      this.drawHead(value, texts);
      this.drawTree(value, texts);
    });
    this.disclosure.update(texts.format('asTable'), () =>
      levelsTable(value, texts)
    );
    this.showFacts();
  }

  private isCombined({ bucket, buckets }: LevelsValue): boolean {
    return bucket !== null && combinedTotals(bucket, buckets) !== null;
  }

  private drawHead(value: LevelsValue, texts: Texts): void {
    const { stage, measure } = this;
    const many = value.total > 1 && value.buckets.length > 0;
    const empty =
      value.snapshot === null
        ? texts.format('neverWritten')
        : value.total === 0 && texts.format('noFiles', { id: value.snapshot });
    stage.fill(
      'head',
      html`<h3>
          ${titleOf(value, texts)}${
            value.snapshot !== null &&
            html` <small
              >${texts.format('atSnapshot', { id: value.snapshot })}</small
            >`
          }
        </h3>
        ${empty && html`<p class="pwv-empty">${empty}</p>`}
        ${many && html`<p>${tableFacts(value, texts)}</p>`}`
    );
    stage.fill(
      'heat',
      many ? heatMap(value, usableMeasure(value, measure), texts) : html``
    );
  }

  private drawTree(value: LevelsValue, texts: Texts): void {
    const { stage } = this;
    const { bucket, keys } = value;
    if (bucket === null || this.files.size === 0) {
      stage.fill('tools', html``);
      stage.fill('tree', html``);
      return;
    }
    if (this.stop === null || !this.files.has(this.stop)) {
      this.stop = this.files.keys().next().value ?? null;
    }
    const at = ZOOMS.indexOf(this.zoom);
    stage.fill(
      'tools',
      html`<div class="pwv-tools">
        <p>
          ${value.total > 1 && html`<b>${bucketTitle(bucket, texts)}</b>: `}${bucketSummary(bucket, value, texts)}
        </p>
        <span class="pwv-zoom">
          ${zoomButton('zoom-out', '−', texts.format('zoomOut'), at === 0)}
          ${zoomButton('zoom-in', '+', texts.format('zoomIn'), at === ZOOMS.length - 1)}
        </span>
      </div>`
    );
    const { zoom, stop, selected, fresh } = this;
    const combined = this.isCombined(value);
    const picture = { bucket, keys, combined, zoom, stop, selected, fresh };
    stage.fill('tree', treePicture(picture, texts));
    this.showEnds();
  }

  private get scroll(): HTMLElement | null {
    return this.stage.part('tree').querySelector('.pwv-scroll');
  }

  private showEnds(): void {
    if (this.value?.bucket) {
      showEnds(this.scroll, this.value.bucket);
    }
  }

  /** Show the facts of the file or bucket that was last pointed at or focused. */
  private point(target: EventTarget | null): void {
    const element = target as Element;
    const { file } = element.closest<HTMLElement>('[data-file]')?.dataset ?? {};
    const { bucket } =
      element.closest<HTMLElement>('[data-bucket]')?.dataset ?? {};
    if (file !== undefined || bucket !== undefined) {
      this.pointedFile = file ?? this.pointedFile;
      this.pointedBucket = bucket ?? this.pointedBucket;
      this.showFacts();
    }
  }

  private showFacts(): void {
    const { stage, texts, value } = this;
    if (value === null) {
      return;
    }
    const bucket = value.buckets.find(item => item.id === this.pointedBucket);
    const facts = bucket
      ? bucketFacts(bucket, value, texts)
      : texts.format('bucketsHint');
    const heat = value.total > 1 && value.buckets.length > 0;
    stage.fill(
      'heat-facts',
      heat ? html`<p class="pwv-dim">${facts}</p>` : html``
    );
    const located =
      this.files.get(this.pointedFile ?? '') ??
      this.files.get(this.selected ?? '');
    const hint =
      this.files.size > 0
        ? html`<p class="pwv-dim">${texts.format('fileHint')}</p>`
        : html``;
    const inRuns = value.keys.length > 0 && !this.isCombined(value);
    stage.fill('facts', located ? fileDetails(located, inRuns, texts) : hint);
  }

  private onClick(event: Event): void {
    const target = event.target as Element;
    const button = target.closest<HTMLElement>('button');
    if (button?.dataset.more !== undefined) {
      this.host.emit({ kind: 'more-buckets', cursor: button.dataset.more });
    } else if (button) {
      this.changeZoom(button.dataset.focus === 'zoom-in' ? 1 : -1);
    } else {
      this.choose(target);
    }
  }

  private onChange(event: Event): void {
    const target = event.target as HTMLElement;
    if (target.dataset.focus === 'measure' && this.value) {
      this.measure = (target as HTMLSelectElement).value as Measure;
      this.draw(this.value);
    }
  }

  private onFocus(event: Event): void {
    const name = (event.target as HTMLElement).dataset.file;
    this.stop = name ?? this.stop;
    this.point(event.target);
  }

  private onKey(event: KeyboardEvent): void {
    const from = event.target as HTMLElement;
    const ring = ringOf(from);
    if (!ring || event.altKey || event.metaKey) {
      return;
    }
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.choose(from);
      return;
    }
    const tree = ring.dataset.ring === 'tree';
    if (tree && ['+', '=', '-'].includes(event.key)) {
      event.preventDefault();
      this.changeZoom(event.key === '-' ? -1 : 1);
      return;
    }
    const to = tree
      ? this.treeMove(from, event.key, event.ctrlKey)
      : heatMapMove(ring, from, event.key);
    if (to) {
      event.preventDefault();
      moveTo(to);
    }
  }

  private treeMove(
    from: HTMLElement,
    key: string,
    whole: boolean
  ): HTMLElement | null {
    const runs = this.value?.bucket?.runs ?? [];
    const name = from.dataset.file;
    const at = runs.findIndex(run =>
      run.files.some(file => file.name === name)
    );
    if (at < 0) {
      return null;
    }
    const column = runs[at].files.findIndex(file => file.name === name);
    const step = VERTICAL[key];
    if (step !== undefined) {
      this.anchor ??= middleOf(runs[at].files[column]);
      const to = runs[clamp(at + step, runs.length)];
      return this.cell(to.files[nearestFile(to, this.anchor)].name);
    }
    const to = horizontal(runs, at, column, key, whole);
    this.anchor = to ? null : this.anchor;
    return to === null ? null : this.cell(to);
  }

  private cell(name: string): HTMLElement | null {
    return this.stage.named(`file:${name}`);
  }

  private choose(target: Element): void {
    const bucket = target.closest<HTMLElement>('[data-bucket]');
    const file = target.closest<HTMLElement>('[data-file]');
    if (bucket?.dataset.bucket !== undefined) {
      moveTo(bucket, { scroll: false });
      this.host.emit({ kind: 'select-bucket', id: bucket.dataset.bucket });
    } else if (file?.dataset.file !== undefined) {
      moveTo(file, { scroll: false });
      this.select(file.dataset.file);
    }
  }

  private select(name: string): void {
    this.cell(this.selected ?? '')?.setAttribute('aria-selected', 'false');
    this.cell(name)?.setAttribute('aria-selected', 'true');
    this.selected = name;
    this.host.emit({ kind: 'select-file', name });
  }

  /** Zoom around the position `x` in the visible part, by default its middle. */
  private changeZoom(step: number, x?: number): void {
    const at = ZOOMS.indexOf(this.zoom);
    const zoom = ZOOMS[clamp(at + step, ZOOMS.length)];
    if (zoom === this.zoom || this.value === null) {
      return;
    }
    const before = this.scroll;
    const place = x ?? (before?.clientWidth ?? 0) / 2;
    const kept = ((before?.scrollLeft ?? 0) + place) / this.zoom;
    this.zoom = zoom;
    this.draw(this.value);
    const after = this.scroll;
    if (after) {
      after.scrollLeft = kept * zoom - place;
    }
    this.showEnds();
  }
}

function titleOf({ table }: LevelsValue, texts: Texts): string {
  return texts.format('levelsTitle', { table });
}

const VERTICAL: Record<string, number | undefined> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -PAGE_RUNS,
  PageDown: PAGE_RUNS
};

/** Return the file that a key moves to, within a run or, if `whole`, to an end of the tree. */
function horizontal(
  runs: readonly RunValue[],
  at: number,
  column: number,
  key: string,
  whole: boolean
): string | null {
  const first = runs[whole ? 0 : at].files;
  const last = runs[whole ? runs.length - 1 : at].files;
  switch (key) {
    case 'ArrowLeft':
      return runs[at].files[column - 1]?.name ?? null;
    case 'ArrowRight':
      return runs[at].files[column + 1]?.name ?? null;
    case 'Home':
      return first[0].name;
    case 'End':
      return last[last.length - 1].name;
    default:
      return null;
  }
}

function clamp(index: number, length: number): number {
  return Math.min(Math.max(index, 0), length - 1);
}
