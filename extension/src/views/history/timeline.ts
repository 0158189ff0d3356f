import type { Int64, SearchValue, TimelineValue } from '../../contract';
import { changesText, snapshotDetails } from '../details';
import { TableDisclosure } from '../disclosure';
import { HistoryBoard, type Tool } from './board';
import { elsewhereMarkup } from './flags';
import { headMarkup, progressText } from './head';
import type { Spacing } from './scale';
import { SearchBox, searchTimeline } from './search_box';
import { html } from '../markup';
import { moveTo, ringOf, Stage, type View, type ViewHost } from '../stage';
import { timelineTable } from '../tables';
import type { Texts } from '../texts';

export type TimelineEvent =
  | { kind: 'select-snapshot'; id: string }
  | { kind: 'show-compaction'; id: string }
  | { kind: 'more-snapshots'; cursor: string }
  | { kind: 'compare'; before: string; after: string };

/** A timeline, and the snapshot that the rest of the page shows. */
export interface TimelineShown {
  timeline: TimelineValue;
  selected: Int64 | null;
}

const PARTS = [
  'head',
  'search',
  'progress',
  'time',
  'elsewhere',
  'facts',
  'table'
];
const SETTLE_MILLIS = 120;

/** A live picture of a table's history: the whole history on a map, and a part of it in lanes by commit kind. */
export function timelineView(
  element: HTMLElement,
  host: ViewHost<TimelineEvent>
): View<TimelineShown> {
  return new Timeline(element, host);
}

class Timeline implements View<TimelineShown> {
  private readonly stage: Stage;
  private readonly disclosure: TableDisclosure;
  private readonly search: SearchBox;
  private readonly watcher: ResizeObserver | null;
  private board: HistoryBoard;
  private shown: TimelineShown | null = null;
  private pointed: Int64 | null = null;
  private fresh: ReadonlySet<Int64> = new Set();
  private drawing = 0;
  /** Whether only the visible part has changed since the last drawing. */
  private onlyMoved = true;
  private settling: ReturnType<typeof setTimeout> | undefined;
  /** The inputs from which the table was drawn. */
  private tabled: readonly unknown[] = [];

  constructor(
    element: HTMLElement,
    private readonly host: ViewHost<TimelineEvent>
  ) {
    this.stage = new Stage(element, 'timeline', PARTS);
    this.disclosure = new TableDisclosure(this.stage.part('table'), () =>
      this.drawTable()
    );
    this.board = this.newBoard();
    this.search = new SearchBox(this.stage.part('search'), {
      texts: () => this.texts,
      search: (text, found) => this.searchFor(text, found),
      choose: id => {
        this.choose(id);
        this.board.reveal(id);
        this.drawSoon();
      }
    });
    const { root } = this.stage;
    root.addEventListener('click', event => this.onClick(event));
    root.addEventListener('change', event => this.onChange(event));
    root.addEventListener('keydown', event => this.onKey(event));
    root.addEventListener('focusin', event => this.onFocus(event));
    root.addEventListener('pointerover', event => this.point(event.target));
    this.watcher =
      typeof ResizeObserver === 'undefined'
        ? null
        : new ResizeObserver(() => this.onResize());
    this.watcher?.observe(root);
  }

  update(shown: TimelineShown): void {
    const before = this.shown;
    if (before && before.timeline.table !== shown.timeline.table) {
      this.board.dispose();
      this.board = this.newBoard();
    }
    this.shown = shown;
    this.noteNews(before?.timeline ?? null, shown.timeline);
    if (before?.timeline !== shown.timeline) {
      this.board.update(shown.timeline, this.fresh);
    }
    const moved = before?.selected !== shown.selected;
    if (moved) {
      this.pointed = null;
      this.board.select(shown.selected);
    }
    this.draw();
    if (moved && before && shown.selected !== null) {
      this.board.reveal(shown.selected);
      this.drawSoon();
    }
  }

  dispose(): void {
    cancelAnimationFrame(this.drawing);
    clearTimeout(this.settling);
    this.watcher?.disconnect();
    this.search.dispose();
    this.board.dispose();
    this.stage.dispose();
  }

  private get texts(): Texts {
    const { kind, zone } = this.shown?.timeline ?? {};
    return this.stage.texts(this.host, kind, zone);
  }

  private newBoard(): HistoryBoard {
    return new HistoryBoard(this.stage.part('time'), {
      read: this.host.read,
      changed: () => this.drawSoon(),
      moved: () => this.drawSoon(true),
      pointed: id => {
        this.pointed = id;
        this.showFacts();
      },
      chosen: (id, isEnd) => this.choose(id, isEnd)
    });
  }

  private noteNews(before: TimelineValue | null, now: TimelineValue): void {
    if (before?.table !== now.table) {
      this.fresh = new Set();
      return;
    }
    const newest = before.snapshots.reduce(
      (most, { id }) => (BigInt(id) > most ? BigInt(id) : most),
      BigInt(0)
    );
    const fresh = now.snapshots.filter(item => BigInt(item.id) > newest);
    if (fresh.length === 0) {
      return;
    }
    this.fresh = new Set(fresh.map(item => item.id));
    const { texts } = this;
    const [{ id, kind }] = fresh;
    const changes = changesText(fresh[0], texts);
    this.stage.announce(texts.format('newSnapshot', { id, kind, changes }));
  }

  // --- drawing -------------------------------------------------------------

  private drawSoon(onlyMoved = false): void {
    this.onlyMoved &&= onlyMoved;
    this.drawing ||= requestAnimationFrame(() => {
      this.drawing = 0;
      if (this.onlyMoved) {
        this.board.draw(this.texts);
        this.settleSoon();
      } else {
        this.draw();
      }
    });
  }

  private draw(): void {
    const { stage, texts, shown, board } = this;
    if (shown === null) {
      return;
    }
    this.onlyMoved = true;
    const { timeline } = shown;
    const { loader, viewport } = board;
    stage.name(texts.format('timelineTitle', { table: timeline.table }));
    const head = headMarkup(timeline, viewport.spacing, loader.isLive, texts);
    stage.redraw(() => stage.fill('head', head));
    const progress = progressText(loader, texts);
    stage.fill(
      'progress',
      progress === '' ? html`` : html`<p class="pwv-dim">${progress}</p>`
    );
    stage.part('search').hidden = timeline.snapshots.length === 0;
    this.search.name();
    board.draw(texts);
    board.describe(texts);
    stage.part('time').setAttribute('aria-busy', String(!loader.isComplete));
    const { whole, pins } = loader;
    stage.fill('elsewhere', elsewhereMarkup(pins, whole, texts));
    this.showFacts();
    this.settleSoon();
  }

  /** Update the texts after a movement has ended: laying out hundreds of rows takes longer than a frame. */
  private settleSoon(): void {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.board.describe(this.texts);
      this.drawTable();
    }, SETTLE_MILLIS);
  }

  private drawTable(): void {
    const { texts, shown, board, disclosure } = this;
    if (shown === null) {
      return;
    }
    const { timeline } = shown;
    const { loader, viewport } = board;
    const isWhole =
      !loader.isLive ||
      (timeline.next === null &&
        timeline.snapshots.every(each => each.figures));
    const [start, end] = isWhole ? [0, 0] : viewport.snapshots;
    const drawn = [timeline, texts, start, end];
    disclosure.rename(texts.format('asTable'));
    if (
      !disclosure.isOpen ||
      drawn.every((each, at) => each === this.tabled[at])
    ) {
      return;
    }
    const snapshots = isWhole ? timeline.snapshots : loader.rowsOf(start, end);
    if (snapshots) {
      this.tabled = drawn;
      disclosure.fill(timelineTable({ ...timeline, snapshots }, texts));
    }
  }

  private showFacts(): void {
    const { stage, texts, board, shown } = this;
    const { loader } = board;
    const id = this.pointed ?? shown?.selected ?? null;
    const known = id === null ? null : loader.factsOf(id);
    if (known) {
      const isNew = board.hasNewSchema(known);
      const isCompaction = known.kind === 'COMPACT';
      stage.fill(
        'facts',
        html`${snapshotDetails(known, isNew, texts)}${
          isCompaction &&
          html`<p class="pwv-story-link">
            <button type="button" data-focus="story" data-story="${known.id}">
              ${texts.format('showCompaction')}
            </button>
          </p>`
        }`
      );
    } else if (id === null || !loader.isLive) {
      const hint = html`<p class="pwv-dim">
        ${texts.format('snapshotHint')} ${texts.format('historyHint')}
        ${texts.format('markEnd')}
      </p>`;
      stage.fill('facts', loader.whole ? hint : html``);
    }
  }

  // --- events --------------------------------------------------------------

  /** Show the facts of the snapshot that was last pointed at or focused. */
  private point(target: EventTarget | null): void {
    const mark = (target as Element).closest<HTMLElement>('[data-snapshot]');
    if (mark?.dataset.snapshot !== undefined) {
      this.pointed = mark.dataset.snapshot;
      this.showFacts();
    }
  }

  /** Show a snapshot, or compare it with the shown one. */
  private choose(id: Int64, isEnd = false): void {
    this.board.hold(id);
    const { selected = null } = this.shown ?? {};
    if (isEnd && selected !== null && selected !== id) {
      const ends =
        BigInt(id) < BigInt(selected) ? [id, selected] : [selected, id];
      this.host.emit({ kind: 'compare', before: ends[0], after: ends[1] });
      return;
    }
    this.host.emit({ kind: 'select-snapshot', id });
  }

  private searchFor(text: string, found: (value: SearchValue) => void): void {
    const { board, shown, texts } = this;
    if (text !== '' && board.loader.isLive) {
      void board.loader.search(text, found);
      return;
    }
    board.loader.stopSearch();
    if (shown) {
      found(searchTimeline(shown.timeline, text, texts));
    }
  }

  private onClick(event: Event): void {
    const target = event.target as Element;
    const { more, tool, story } =
      target.closest<HTMLElement>('[data-more], [data-tool], [data-story]')
        ?.dataset ?? {};
    const mark = target.closest<HTMLElement>('[data-snapshot]');
    if (more !== undefined) {
      this.host.emit({ kind: 'more-snapshots', cursor: more });
    } else if (tool !== undefined) {
      this.board.useTool(tool as Tool);
    } else if (story !== undefined) {
      this.host.emit({ kind: 'show-compaction', id: story });
    } else if (mark?.dataset.snapshot !== undefined) {
      moveTo(mark, { scroll: false });
      this.choose(mark.dataset.snapshot, (event as MouseEvent).shiftKey);
    }
  }

  private onChange(event: Event): void {
    const target = event.target as HTMLElement;
    if (target.dataset.focus === 'spacing') {
      const { value } = target as HTMLSelectElement;
      this.board.viewport.respace(value as Spacing);
      this.draw();
    }
  }

  private onFocus(event: Event): void {
    const { snapshot } = (event.target as HTMLElement).dataset;
    if (snapshot !== undefined) {
      this.board.focused = snapshot;
      this.point(event.target);
    }
  }

  private onKey(event: KeyboardEvent): void {
    const from = event.target as HTMLElement;
    const { snapshot } = from.dataset;
    if (
      !ringOf(from) ||
      snapshot === undefined ||
      event.altKey ||
      event.metaKey
    ) {
      return;
    }
    if (event.key === 'Enter' || event.key === ' ') {
      this.choose(snapshot, event.shiftKey);
    } else if (['+', '=', '-'].includes(event.key)) {
      this.board.useTool(event.key === '-' ? 'zoom-out' : 'zoom-in');
    } else {
      const next = this.board.step(snapshot, event.key);
      if (next === null) {
        return;
      }
      this.moveTo(next);
    }
    event.preventDefault();
  }

  private moveTo(id: Int64): void {
    this.board.focused = this.pointed = id;
    this.board.reveal(id);
    this.draw();
    const element = this.board.element(id);
    if (element) {
      moveTo(element, { scroll: false });
    }
  }

  private onResize(): void {
    if (this.board.measure()) {
      this.draw();
    }
  }
}
