import type {
  CompactionStory,
  CompactionsValue,
  CostsValue,
  ErrorValue,
  ReplayValue
} from '../../contract';
import { fileDetails, locatedFiles } from '../details';
import { TableDisclosure } from '../disclosure';
import { html, type Markup } from '../markup';
import { problem } from '../problem';
import {
  focusablesOf,
  moveTo,
  ringOf,
  Stage,
  type View,
  type ViewHost
} from '../stage';
import { table } from '../tables';
import type { Texts } from '../texts';
import type { Words } from '../words';
import { costsMarkup, costsTable } from './costs';
import { listMarkup, listSummary } from './list';
import { Replay } from './replay';
import { placeOf, ruleName } from './rules';
import { fileOfBox, storyFacts, storyHead, storyPicture } from './story';

/** A page of compactions, and the one that is chosen: `<snapshot>@<bucket>`, or a snapshot alone. */
export interface CompactionShown {
  readonly value: CompactionsValue;
  readonly selected: string | null;
}

export type CompactionEvent =
  | { kind: 'select-compaction'; id: string }
  | { kind: 'more-compactions'; cursor: string }
  | { kind: 'replay'; bucket: string; limit: number }
  | { kind: 'costs' };

type Tab = 'story' | 'replay' | 'costs';

const TABS: readonly [Tab, keyof Words][] = [
  ['story', 'tabStory'],
  ['replay', 'tabReplay'],
  ['costs', 'tabCosts']
];
const PARTS = [
  'head',
  'list',
  'tabs',
  'verdict',
  'picture',
  'facts',
  'replay',
  'costs',
  'table'
];
const OF_TAB: Record<Tab, readonly string[]> = {
  story: ['verdict', 'picture', 'facts'],
  replay: ['replay'],
  costs: ['costs']
};
const DEFAULT_WIDTH = 760;
const LEAST_WIDTH = 300;
const STEPS = 200;
const COST_PAUSE = 50;
let made = 0;

/** A live picture of the compactions of a table: a list, one before and after, a replay, and costs. */
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
  private readonly id = `pwv-ribbons-${(made += 1)}`;
  private readonly watcher: ResizeObserver | null = null;
  private value: CompactionsValue | null = null;
  private selected: string | null = null;
  private tab: Tab = 'story';
  private story: CompactionStory | null = null;
  private replayed: ReplayValue | null = null;
  private costs: CostsValue | null = null;
  private failure: unknown = null;
  private stop: string | null = null;
  private box: string | null = null;
  private pointed: string | null = null;
  private width = 0;
  private reads = new Map<Tab, AbortController>();
  private readKeys = new Map<Tab, string>();

  constructor(
    element: HTMLElement,
    private readonly host: ViewHost<CompactionEvent>
  ) {
    this.stage = new Stage(element, 'compaction', PARTS);
    this.disclosure = new TableDisclosure(this.stage.part('table'));
    this.replay = new Replay(
      this.stage.part('replay'),
      limit => this.readReplay(limit),
      text => this.stage.announce(text)
    );
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
    const before = this.value;
    this.value = value;
    this.selected = selected;
    if (before && before.table === value.table && before.last !== value.last) {
      const [newest] = value.compactions;
      if (newest && newest.id !== before.compactions[0]?.id) {
        this.stage.announce(newest.text);
      }
      this.readKeys.clear();
    }
    if (value.story) {
      this.story = value.story;
    }
    this.replayed = value.replay ?? this.replayed;
    this.costs = value.costs ?? this.costs;
    this.draw();
    this.load();
  }

  dispose(): void {
    this.watcher?.disconnect();
    this.reads.forEach(each => each.abort());
    this.replay.dispose();
    this.stage.dispose();
  }

  private get texts(): Texts {
    return this.stage.texts(this.host, this.value?.kind, this.value?.zone);
  }

  /** The id of the compaction that is shown; that of a snapshot stands for the first of its compactions. */
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

  // --- reading -------------------------------------------------------------------

  /** Read what the open tab shows, unless it is the one that was read. */
  private load(): void {
    const { chosen, tab, host } = this;
    if (chosen === null) {
      return;
    }
    if (tab === 'story') {
      const [snapshot, bucket] = chosen.split('@');
      this.need('story', chosen, async (read, signal) => {
        const request = { snapshot, ...(bucket !== undefined && { bucket }) };
        this.story = await read('compaction', request, signal);
      });
    } else if (tab === 'replay') {
      this.readReplay(STEPS);
    } else if (host.read) {
      this.need('costs', this.value?.last ?? '', (read, signal) =>
        this.readCosts(read, signal)
      );
    } else if (this.costs === null) {
      host.emit({ kind: 'costs' });
    }
  }

  private readReplay(limit: number): void {
    const bucket = this.bucket;
    if (bucket === null) {
      return;
    }
    if (this.host.read) {
      this.need(
        'replay',
        `${bucket} ${limit} ${this.value?.last}`,
        async (read, signal) => {
          const answer = await read(
            'compaction_replay',
            { bucket, limit },
            signal
          );
          this.replayed = answer.replay;
        }
      );
    } else if (
      this.replayed?.bucket_id !== bucket ||
      this.replayed.steps.length < limit
    ) {
      const key = `${bucket} ${limit}`;
      if (this.readKeys.get('replay') !== key) {
        this.readKeys.set('replay', key);
        this.host.emit({ kind: 'replay', bucket, limit });
      }
    }
  }

  /** Read the costs until they are those of all commits. */
  private async readCosts(
    read: NonNullable<ViewHost<CompactionEvent>['read']>,
    signal: AbortSignal
  ): Promise<void> {
    for (;;) {
      const before = this.costs;
      const { costs } = await read('compaction_costs', {}, signal);
      this.costs = costs;
      // Answers that do not go further back would be repeated for ever.
      if (costs.complete || (before && before.first === costs.first)) {
        return;
      }
      this.draw();
      await new Promise(resolve => setTimeout(resolve, COST_PAUSE));
      signal.throwIfAborted();
    }
  }

  private need(
    tab: Tab,
    key: string,
    load: (
      read: NonNullable<ViewHost<CompactionEvent>['read']>,
      signal: AbortSignal
    ) => Promise<void>
  ): void {
    const { read } = this.host;
    if (!read || this.readKeys.get(tab) === key) {
      return;
    }
    this.readKeys.set(tab, key);
    this.reads.get(tab)?.abort();
    const control = new AbortController();
    this.reads.set(tab, control);
    void load(read, control.signal).then(
      () => {
        if (!control.signal.aborted) {
          this.failure = null;
          this.draw();
        }
      },
      (error: unknown) => {
        if (!control.signal.aborted) {
          this.failure = error;
          this.draw();
        }
      }
    );
  }

  /** The id of the bucket that is replayed. */
  private get bucket(): string | null {
    const { chosen } = this;
    const bucket = chosen?.split('@')[1];
    return bucket ?? this.value?.compactions[0]?.bucket_id ?? null;
  }

  // --- drawing -------------------------------------------------------------------

  private draw(): void {
    const { stage, value, texts } = this;
    if (value === null) {
      return;
    }
    const title = texts.say('compactionTitle', { table: value.table });
    stage.name(title);
    stage.redraw(() => {
      this.drawHead(value, title, texts);
      this.drawList(value, texts);
      this.drawTabs(value, texts);
      this.drawStory(texts);
      stage.fill(
        'costs',
        this.tab === 'costs' ? costsMarkup(this.costs, texts) : html``
      );
    });
    for (const [tab, parts] of Object.entries(OF_TAB)) {
      parts.forEach(part => (stage.part(part).hidden = tab !== this.tab));
    }
    if (this.tab === 'replay') {
      this.replay.update(this.replayed, texts);
    }
    this.disclosure.update(texts.say('asTable'), () =>
      this.tables(value, texts)
    );
    this.showFacts();
  }

  private drawHead(value: CompactionsValue, title: string, texts: Texts): void {
    const none = value.compactions.length === 0;
    const empty =
      value.last === null
        ? texts.say('neverWritten')
        : none && value.next === null
          ? texts.say('noCompactions')
          : none && texts.say('noCompactionsSo', { id: value.next ?? '' });
    this.stage.fill(
      'head',
      html`<h3>
          ${title}${!none && html` <small>${listSummary(value, texts)}</small>`}
        </h3>
        ${empty && html`<p class="pwv-empty">${empty}</p>`}
        ${
          value.unread.length > 0 &&
          html`<p class="pwv-dim">
            ${texts.say('unreadCompactions', { n: value.unread.length, ids: value.unread.slice(0, 8).join(', ') })}
          </p>`
        }
        ${this.failure !== null && problem(problemOf(this.failure))}`
    );
  }

  private drawList(value: CompactionsValue, texts: Texts): void {
    const { chosen } = this;
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
      shown ? listMarkup(value, chosen, this.stop, texts) : html``
    );
  }

  private drawTabs(value: CompactionsValue, texts: Texts): void {
    const { tab } = this;
    const tabs = TABS.map(
      ([name, word]) =>
        html`<button
          type="button"
          role="tab"
          data-focus="tab:${name}"
          data-tab="${name}"
          tabindex="${name === tab ? 0 : -1}"
          aria-selected="${name === tab ? 'true' : 'false'}"
        >
          ${texts.say(word)}
        </button>`
    );
    this.stage.fill(
      'tabs',
      value.last === null
        ? html``
        : html`<div
            class="pwv-comp-tabs"
            role="tablist"
            data-ring="tabs"
            aria-label="${texts.say('tabsOfCompaction')}"
          >
            ${tabs}
          </div>`
    );
  }

  private drawStory(texts: Texts): void {
    const { stage, story, chosen } = this;
    const isShown =
      story !== null && this.tab === 'story' && isOf(story, chosen);
    if (!isShown) {
      const waits =
        chosen !== null && this.tab === 'story' && this.failure === null;
      stage.fill(
        'verdict',
        waits
          ? html`<p class="pwv-dim" role="status">${texts.say('loading')}</p>`
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
    return html`${compactionsTable(value, texts)}${this.costs && this.tab === 'costs' && costsTable(this.costs, texts)}`;
  }

  private showFacts(): void {
    const { stage, story, texts } = this;
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
        : html`<p class="pwv-dim">${texts.say('storyHint')}</p>`
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
      this.host.emit({ kind: 'more-compactions', cursor: more });
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
      items[moved(event.key, at, items.length, name === 'compactions')];
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
    this.draw();
    this.load();
    const snapshot = id.split('@')[0];
    if (this.tab === 'replay') {
      this.replay.goTo(snapshot);
    }
  }

  private showTab(tab: Tab): void {
    if (tab !== this.tab) {
      this.replay.stop();
      this.tab = tab;
      this.failure = null;
      this.draw();
      this.load();
    }
  }
}

function isOf({ compaction }: CompactionStory, chosen: string | null): boolean {
  return compaction.id === chosen || compaction.snapshot === chosen;
}

function boxesOf(ring: Element): HTMLElement[] {
  return Array.from(ring.querySelectorAll<HTMLElement>('[data-box]'));
}

const PAGE = 10;

/** Return the place in a list that a key moves to. */
function moved(
  key: string,
  at: number,
  count: number,
  isList: boolean
): number {
  const last = count - 1;
  switch (key) {
    case 'ArrowUp':
    case 'ArrowLeft':
      return Math.max(0, at - 1);
    case 'ArrowDown':
    case 'ArrowRight':
      return Math.min(last, at + 1);
    case 'PageUp':
      return isList ? Math.max(0, at - PAGE) : at;
    case 'PageDown':
      return isList ? Math.min(last, at + PAGE) : at;
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return at;
  }
}

/** Return the error of a page's source as it is, and any other with its message. */
function problemOf(error: unknown): ErrorValue {
  const { value } = error as { value?: ErrorValue };
  const message = error instanceof Error ? error.message : String(error);
  return value ?? { code: 'unknown', message, hint: null, file: null };
}

function compactionsTable(
  { compactions }: CompactionsValue,
  texts: Texts
): Markup {
  const heads: (keyof Words)[] = [
    'snapshot',
    'time',
    'where',
    'rule',
    'inputLevels',
    'storyRead',
    'storyWrote',
    'storyMoved',
    'storyDropped',
    'why'
  ];
  const rows = compactions.map(each => [
    each.snapshot,
    texts.time(each.time_millis),
    placeOf(each, texts),
    ruleName(each.rule, texts),
    texts.say('intoLevel', {
      from: each.input_levels.map(level => `L${level}`).join(', '),
      to: String(each.output_level)
    }),
    `${texts.say('files', { n: each.files_read })}, ${texts.size(each.bytes_read)}`,
    `${texts.say('files', { n: each.files_written })}, ${texts.size(each.bytes_written)}`,
    texts.count(String(each.files_moved)),
    texts.count(each.rows_dropped),
    each.text
  ]);
  return table(
    texts.say('compactionList'),
    heads.map(word => texts.say(word)),
    rows
  );
}
