import type { CompactionStory, CompactionsValue } from '../../contract';
import { fileDetails, locatedFiles } from '../details';
import { TableDisclosure } from '../disclosure';
import { html, type Markup } from '../markup';
import {
  focusablesOf,
  moveTo,
  ringOf,
  Stage,
  type View,
  type ViewHost
} from '../stage';
import type { Texts } from '../texts';
import { boxesOf, movedTo } from './keys';
import { CompactionReader } from './reader';
import { compactionsTable } from './table';
import { costsMarkup, costsTable } from './costs';
import { CostsFigure } from './figure';
import { headMarkup, tabsMarkup, type Tab } from './head';
import { listMarkup } from './list';
import type { CompactionEvent, CompactionShown } from './model';
import { Replay } from './replay';
import { fileOfBox, storyFacts, storyHead, storyPicture } from './story';

const PARTS = [
  'head',
  'list',
  'tabs',
  'verdict',
  'picture',
  'facts',
  'replay',
  'costs',
  'figure',
  'table'
];
const OF_TAB: Record<Tab, readonly string[]> = {
  story: ['verdict', 'picture', 'facts'],
  replay: ['replay'],
  costs: ['costs', 'figure']
};
const DEFAULT_WIDTH = 760;
const LEAST_WIDTH = 300;
const STEPS = 200;
let made = 0;

/** A live picture of a table's compactions: a list, the bucket before and after one of them, a replay, and costs. */
export function compactionView(
  element: HTMLElement,
  host: ViewHost<CompactionEvent>
): View<CompactionShown> {
  return new CompactionPicture(element, host);
}

class CompactionPicture implements View<CompactionShown> {
  private readonly stage: Stage;
  private readonly disclosure: TableDisclosure;
  private readonly replay: Replay;
  private readonly reader: CompactionReader;
  private readonly figure: CostsFigure;
  private readonly id = `pwv-ribbons-${(made += 1)}`;
  private readonly watcher: ResizeObserver | null = null;
  private selected: string | null = null;
  private tab: Tab = 'story';
  private stop: string | null = null;
  private box: string | null = null;
  private pointed: string | null = null;
  private width = 0;
  private steps = STEPS;

  constructor(
    element: HTMLElement,
    private readonly host: ViewHost<CompactionEvent>
  ) {
    this.stage = new Stage(element, 'compaction', PARTS);
    this.disclosure = new TableDisclosure(this.stage.part('table'));
    this.reader = new CompactionReader(host, () => this.show());
    this.replay = new Replay(
      this.stage.part('replay'),
      limit => this.readReplay(limit),
      text => this.stage.announce(text)
    );
    this.figure = new CostsFigure(this.stage.part('figure'), host.figure);
    const { root } = this.stage;
    root.addEventListener('click', event => this.onClick(event));
    root.addEventListener('keydown', event => this.onKey(event));
    root.addEventListener('focusin', event => this.point(event.target));
    root.addEventListener('pointerover', event => this.point(event.target));
    if (typeof ResizeObserver === 'function') {
      this.watcher = new ResizeObserver(() => this.resize());
      this.watcher.observe(root);
    }
  }

  update({ value, selected }: CompactionShown): void {
    const { reader } = this;
    const before = this.value;
    this.selected = selected;
    if (before && before.table === value.table && before.last !== value.last) {
      const [newest] = value.compactions;
      if (newest && newest.id !== before.compactions[0]?.id) {
        this.stage.announce(newest.text);
      }
      reader.forget();
    }
    reader.readList(value);
    reader.story = value.story ?? reader.story;
    reader.replay = value.replay ?? reader.replay;
    reader.costs = value.costs ?? reader.costs;
    this.show();
  }

  dispose(): void {
    this.watcher?.disconnect();
    this.reader.dispose();
    this.replay.dispose();
    this.figure.dispose();
    this.stage.dispose();
  }

  private get value(): CompactionsValue | null {
    return this.reader.list;
  }

  private get texts(): Texts {
    return this.stage.texts(this.host, this.value?.kind, this.value?.zone);
  }

  /** The id of the shown compaction; the id of a snapshot means the first compaction in it. */
  private get chosen(): string | null {
    const { compactions = [] } = this.value ?? {};
    const { selected } = this;
    if (selected === null) {
      return compactions[0]?.id ?? null;
    }
    return selected.includes('@')
      ? selected
      : (compactions.find(each => each.snapshot === selected)?.id ?? selected);
  }

  private show(): void {
    this.draw();
    this.load();
  }

  /** Read the data of the open tab, unless it has been read. */
  private load(): void {
    const { chosen, tab, reader } = this;
    const last = this.value?.last ?? '';
    if (tab === 'costs') {
      reader.readCosts(last);
    } else if (tab === 'replay') {
      this.readReplay(this.steps);
    } else if (chosen !== null) {
      reader.readStory(chosen);
    }
  }

  private readReplay(limit: number): void {
    this.steps = limit;
    const bucket =
      this.chosen?.split('@')[1] ?? this.value?.compactions[0]?.bucket_id;
    if (bucket !== undefined) {
      this.reader.readReplay(bucket, limit, this.value?.last ?? '');
    }
  }

  // --- drawing -------------------------------------------------------------------

  private draw(): void {
    const { stage, value, texts } = this;
    if (value === null) {
      return;
    }
    const title = texts.format('compactionTitle', { table: value.table });
    stage.name(title);
    stage.redraw(() => {
      stage.fill('head', headMarkup(value, title, this.reader, texts));
      this.drawList(value, texts);
      stage.fill(
        'tabs',
        value.last === null ? html`` : tabsMarkup(this.tab, texts)
      );
      this.drawStory(texts);
    });
    for (const [tab, parts] of Object.entries(OF_TAB)) {
      parts.forEach(part => (stage.part(part).hidden = tab !== this.tab));
    }
    if (this.tab === 'costs') {
      this.drawCosts(texts);
    }
    if (this.tab === 'replay') {
      this.replay.update(this.reader.replay, texts);
    }
    this.disclosure.update(texts.format('asTable'), () =>
      this.tables(value, texts)
    );
    this.showFacts();
  }

  private drawList(value: CompactionsValue, texts: Texts): void {
    const { chosen, reader } = this;
    const ids = new Set(value.compactions.map(each => each.id));
    if (this.stop === null || !ids.has(this.stop)) {
      this.stop =
        chosen !== null && ids.has(chosen)
          ? chosen
          : (value.compactions[0]?.id ?? null);
    }
    const shown = value.compactions.length > 0 || value.next !== null;
    this.stage.fill(
      'list',
      shown
        ? listMarkup(
            value,
            { selected: chosen, stop: this.stop, isListing: reader.isListing },
            texts
          )
        : html``
    );
  }

  private drawStory(texts: Texts): void {
    const { stage, chosen } = this;
    const { story, failure } = this.reader;
    const isShown =
      story !== null && this.tab === 'story' && isOf(story, chosen);
    if (!isShown) {
      const waits = chosen !== null && this.tab === 'story' && failure === null;
      stage.fill(
        'verdict',
        waits
          ? html`<p class="pwv-dim" role="status">
              ${texts.format('loading')}
            </p>`
          : html``
      );
      stage.fill('picture', html``);
      return;
    }
    this.width ||= this.measured();
    if (this.box === null || fileOfBox(story, this.box) === null) {
      this.box = 'before:0';
    }
    stage.fill(
      'verdict',
      html`${storyHead(story, texts)}${storyFacts(story, texts)}`
    );
    stage.fill(
      'picture',
      storyPicture(story, this.width, this.box, this.id, texts)
    );
  }

  private drawCosts(texts: Texts): void {
    const { costs } = this.reader;
    const isPlotted =
      costs !== null &&
      costs.costs.ids.length > 0 &&
      this.figure.update(costs.figure, texts.format('costsTitle'));
    this.stage.fill('costs', costsMarkup(costs, isPlotted, texts));
  }

  private measured(): number {
    return Math.max(
      LEAST_WIDTH,
      Math.floor(this.stage.root.clientWidth) || DEFAULT_WIDTH
    );
  }

  private resize(): void {
    const width = this.measured();
    if (width !== this.width && this.stage.root.clientWidth > 0) {
      this.width = width;
      this.stage.redraw(() => this.drawStory(this.texts));
    }
  }

  private tables(value: CompactionsValue, texts: Texts): Markup {
    return html`${compactionsTable(value, texts)}${this.reader.costs && this.tab === 'costs' && costsTable(this.reader.costs.costs, texts)}`;
  }

  private showFacts(): void {
    const { stage, texts } = this;
    const { story } = this.reader;
    if (this.tab !== 'story' || story === null || !isOf(story, this.chosen)) {
      stage.fill('facts', html``);
      return;
    }
    const file = this.pointed === null ? null : fileOfBox(story, this.pointed);
    const side = this.pointed?.startsWith('after') ? story.after : story.before;
    const located = file && locatedFiles(side).get(file.name);
    stage.fill(
      'facts',
      located
        ? fileDetails(located, story.keys.length > 0, texts)
        : html`<p class="pwv-dim">${texts.format('storyHint')}</p>`
    );
  }

  // --- events --------------------------------------------------------------------

  private point(target: EventTarget | null): void {
    const element = target as Element;
    const name =
      element.closest<HTMLElement>('[data-box]')?.getAttribute('data-box') ??
      null;
    const svg = this.stage.part('picture').querySelector('svg');
    if (name === null) {
      svg?.removeAttribute('data-lit');
      return;
    }
    this.pointed = name;
    for (const ribbon of svg?.querySelectorAll('.pwv-lit') ?? []) {
      ribbon.classList.remove('pwv-lit');
    }
    const of =
      svg?.querySelectorAll(`[data-from="${name}"], [data-to="${name}"]`) ?? [];
    of.forEach(ribbon => ribbon.classList.add('pwv-lit'));
    svg?.toggleAttribute('data-lit', of.length > 0);
    this.showFacts();
  }

  private onClick(event: Event): void {
    const target = event.target as Element;
    const { compaction, more, tab } =
      target.closest<HTMLElement>('[data-compaction], [data-more], [data-tab]')
        ?.dataset ?? {};
    if (more !== undefined) {
      this.reader.readMore(more);
    } else if (tab !== undefined) {
      this.showTab(tab as Tab);
    } else if (compaction !== undefined) {
      this.choose(compaction);
    }
  }

  private onKey(event: KeyboardEvent): void {
    const from = event.target as HTMLElement;
    const ring = ringOf(from);
    if (!ring || event.altKey || event.metaKey || event.ctrlKey) {
      return;
    }
    const name = ring.dataset.ring ?? ring.getAttribute('data-ring');
    if (
      (event.key === 'Enter' || event.key === ' ') &&
      name === 'compactions'
    ) {
      event.preventDefault();
      this.choose(from.dataset.compaction ?? '');
      return;
    }
    const items = name === 'story' ? boxesOf(ring) : focusablesOf(ring);
    const at = items.indexOf(from);
    const to =
      items[movedTo(event.key, at, items.length, name === 'compactions')];
    if (!to || to === from) {
      return;
    }
    event.preventDefault();
    moveTo(to);
    if (name === 'tabs') {
      this.showTab(to.dataset.tab as Tab);
    } else if (name === 'story') {
      this.box = to.getAttribute('data-box');
    } else {
      this.stop = to.dataset.compaction ?? null;
    }
  }

  private choose(id: string): void {
    if (id === '') {
      return;
    }
    const row = this.stage.named(`compaction:${id}`);
    if (row) {
      moveTo(row, { scroll: false });
    }
    this.stop = this.selected = id;
    this.pointed = null;
    this.host.emit({ kind: 'select-compaction', id });
    this.show();
    if (this.tab === 'replay') {
      this.replay.goTo(id.split('@')[0]);
    }
  }

  private showTab(tab: Tab): void {
    if (tab !== this.tab) {
      this.replay.stop();
      this.tab = tab;
      this.reader.failure = null;
      this.show();
    }
  }
}

function isOf({ compaction }: CompactionStory, chosen: string | null): boolean {
  return compaction.id === chosen || compaction.snapshot === chosen;
}
