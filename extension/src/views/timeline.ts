import type { Int64, TimelineValue } from '../contract';
import { snapshotDetails } from './details';
import { TableDisclosure } from './disclosure';
import { html } from './markup';
import { moveTo, ringOf, Stage, type View, type ViewHost } from './stage';
import { timelineTable } from './tables';
import type { Texts } from './texts';
import {
  markMove,
  timelineLayout,
  type Spacing,
  type TimelineLayout
} from './timeline_layout';
import { timelinePicture } from './timeline_picture';

export type TimelineEvent =
  | { kind: 'select-snapshot'; id: string }
  | { kind: 'more-snapshots'; cursor: string };

/** A timeline, and the snapshot that the rest of the page shows. */
export interface TimelineShown {
  timeline: TimelineValue;
  selected: Int64 | null;
}

const PARTS = ['head', 'time', 'facts', 'table'];
/** The names of the lanes, and the frame around them. */
const NAMES_WIDTH = 100;
const USUAL_WIDTH = 800;
const MARGIN = 20;

/** A live picture of a table's snapshots: commits in lanes by kind, tags as flags. */
export function timelineView(
  element: HTMLElement,
  host: ViewHost<TimelineEvent>
): View<TimelineShown> {
  return new TimelineLanes(element, host);
}

class TimelineLanes implements View<TimelineShown> {
  private readonly stage: Stage;
  private readonly disclosure: TableDisclosure;
  private readonly watcher: ResizeObserver | null;
  private shown: TimelineShown | null = null;
  private layout: TimelineLayout | null = null;
  private spacing: Spacing = 'snapshot';
  private stop: string | null = null;
  private pointed: string | null = null;
  private fresh: ReadonlySet<string> = new Set();
  private width = 0;

  constructor(
    element: HTMLElement,
    private readonly host: ViewHost<TimelineEvent>
  ) {
    this.stage = new Stage(element, 'timeline', PARTS);
    this.disclosure = new TableDisclosure(this.stage.part('table'));
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
    const moved =
      before?.selected !== shown.selected ||
      before?.timeline.table !== shown.timeline.table;
    this.shown = shown;
    this.noteNews(before?.timeline ?? null, shown.timeline);
    this.pointed = moved ? null : this.pointed;
    this.draw();
    if (moved) {
      this.follow();
    }
  }

  dispose(): void {
    this.watcher?.disconnect();
    this.stage.dispose();
  }

  private get texts(): Texts {
    return this.stage.texts(this.host, this.shown?.timeline.zone);
  }

  private noteNews(before: TimelineValue | null, now: TimelineValue): void {
    if (before?.table !== now.table) {
      this.fresh = new Set();
      this.stop = null;
      return;
    }
    const newest = before.snapshots.reduce(
      (most, item) => larger(most, BigInt(item.id)),
      BigInt(0)
    );
    const fresh = now.snapshots.filter(item => BigInt(item.id) > newest);
    if (fresh.length === 0) {
      return;
    }
    this.fresh = new Set(fresh.map(item => item.id));
    const { texts } = this;
    const [{ id, kind, rows_added }] = fresh;
    const added =
      rows_added === null ? texts.say('notCounted') : texts.change(rows_added);
    this.stage.announce(texts.say('newSnapshot', { id, kind, added }));
  }

  private draw(): void {
    const { stage, texts, shown } = this;
    if (shown === null) {
      return;
    }
    const { timeline, selected } = shown;
    this.width = stage.root.clientWidth;
    const room = (this.width || USUAL_WIDTH) - NAMES_WIDTH;
    const layout = timelineLayout(timeline, this.spacing, room);
    this.layout = layout;
    this.stop = this.stopOf(shown);
    const { stop, fresh } = this;
    const fromEnd = this.distanceFromEnd();
    stage.name(texts.say('timelineTitle', { table: timeline.table }));
    stage.redraw(() => {
      this.drawHead(timeline, texts);
      stage.fill(
        'time',
        layout.marks.length > 0
          ? timelinePicture({ layout, selected, stop, fresh }, texts)
          : html``
      );
    });
    this.keepDistance(fromEnd);
    this.disclosure.update(texts.say('asTable'), () =>
      timelineTable(timeline, texts)
    );
    this.showFacts();
  }

  private drawHead(timeline: TimelineValue, texts: Texts): void {
    const { snapshots, total, next } = timeline;
    const count =
      snapshots.length < total
        ? texts.say('snapshotsPage', {
            shown: texts.count(snapshots.length),
            n: total
          })
        : texts.say('snapshotsShown', { n: total });
    const option = (value: Spacing, text: string) =>
      html`<option value="${value}" ${value === this.spacing && 'selected'}>
        ${text}
      </option>`;
    const title = texts.say('timelineTitle', { table: timeline.table });
    this.stage.fill(
      'head',
      snapshots.length === 0
        ? html`<h3>${title}</h3>
            <p class="pwv-empty">${texts.say('noSnapshots')}</p>`
        : html`<h3>${title} <small>${count}</small></h3>
            <div class="pwv-tools">
              ${next !== null && html`<button type="button" data-focus="older" data-more="${next}">${texts.say('older')}</button>`}
              <label
                >${texts.say('spacing')}
                <select data-focus="spacing">
                  ${option('snapshot', texts.say('bySnapshot'))}${option('time', texts.say('byTime'))}
                </select></label
              >
              <span class="pwv-dim">${texts.say('markSize')}</span>
            </div>`
    );
  }

  /** The tab stop: the last one focused, else the selected, else the newest. */
  private stopOf({ timeline, selected }: TimelineShown): string | null {
    const ids = new Set(timeline.snapshots.map(snapshot => snapshot.id));
    const wished = [this.stop, selected].find(id => id !== null && ids.has(id));
    return wished ?? timeline.snapshots[0]?.id ?? null;
  }

  /** Show the facts of what was last pointed at or focused. */
  private point(target: EventTarget | null): void {
    const mark = (target as Element).closest<HTMLElement>('[data-snapshot]');
    if (mark) {
      this.pointed = mark.dataset.snapshot ?? null;
      this.showFacts();
    }
  }

  private showFacts(): void {
    const { stage, texts, layout, shown } = this;
    if (!layout || !shown) {
      return;
    }
    const of = (id: string | null) =>
      layout.marks.find(item => item.snapshot.id === id);
    const mark = of(this.pointed) ?? of(shown.selected);
    const hint =
      layout.marks.length > 0
        ? html`<p class="pwv-dim">${texts.say('snapshotHint')}</p>`
        : html``;
    stage.fill(
      'facts',
      mark ? snapshotDetails(mark.snapshot, mark.newSchema, texts) : hint
    );
  }

  private onClick(event: Event): void {
    const target = event.target as Element;
    const button = target.closest<HTMLElement>('[data-more]');
    if (button?.dataset.more !== undefined) {
      this.host.emit({ kind: 'more-snapshots', cursor: button.dataset.more });
      return;
    }
    const mark = target.closest<HTMLElement>('[data-snapshot]');
    if (mark) {
      moveTo(mark, { scroll: false });
      this.choose(mark);
    }
  }

  private onChange(event: Event): void {
    const target = event.target as HTMLElement;
    if (target.dataset.focus === 'spacing') {
      this.spacing = (target as HTMLSelectElement).value as Spacing;
      this.draw();
      this.follow();
    }
  }

  private onFocus(event: Event): void {
    const { snapshot } = (event.target as HTMLElement).dataset;
    this.stop = snapshot ?? this.stop;
    this.point(event.target);
  }

  private onKey(event: KeyboardEvent): void {
    const from = event.target as HTMLElement;
    const { layout } = this;
    if (!ringOf(from) || !layout || event.altKey || event.metaKey) {
      return;
    }
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.choose(from);
      return;
    }
    const at = layout.marks.findIndex(
      mark => mark.snapshot.id === from.dataset.snapshot
    );
    const to = markMove(layout, at, event.key);
    const element = to && this.mark(to.snapshot.id);
    if (element) {
      event.preventDefault();
      moveTo(element);
    }
  }

  private choose(mark: HTMLElement): void {
    if (mark.dataset.snapshot !== undefined) {
      this.host.emit({ kind: 'select-snapshot', id: mark.dataset.snapshot });
    }
  }

  private mark(id: string): HTMLElement | null {
    return this.stage.named(`snapshot:${id}`);
  }

  private onResize(): void {
    if (this.stage.root.clientWidth !== this.width) {
      const first = this.width === 0;
      this.draw();
      if (first) {
        this.follow();
      }
    }
  }

  private get scroll(): Element | null {
    return this.stage.part('time').querySelector('.pwv-scroll');
  }

  /** Older pages are added at the left, new snapshots at the right; a reader at the end stays there. */
  private distanceFromEnd(): number {
    const { scroll } = this;
    return scroll ? scroll.scrollWidth - scroll.scrollLeft : 0;
  }

  private keepDistance(distance: number): void {
    const { scroll } = this;
    if (scroll) {
      scroll.scrollLeft = scroll.scrollWidth - distance;
    }
  }

  /** Scroll the selected snapshot, or else the newest, into view. */
  private follow(): void {
    const { scroll, layout, shown } = this;
    const mark =
      layout?.marks.find(item => item.snapshot.id === shown?.selected) ??
      layout?.marks[layout.marks.length - 1];
    if (scroll && layout && mark) {
      const { scrollLeft, clientWidth } = scroll;
      const x = layout.edge + mark.x;
      if (x < scrollLeft + MARGIN || x > scrollLeft + clientWidth - MARGIN) {
        scroll.scrollLeft = x - clientWidth / 2;
      }
    }
  }
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
