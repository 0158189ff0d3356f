import type {
  ErrorValue,
  LevelsValue,
  SummaryValue,
  TimelineValue
} from '../../contract';
import { catalogTree, openTable, treeMove } from './picture';
import { levelsView, type LevelsEvent } from '../levels/picture';
import { html } from '../markup';
import { moveTo, ringOf, Stage, type View, type ViewHost } from '../stage';
import type { Texts } from '../texts';
import {
  timelineView,
  type TimelineEvent,
  type TimelineShown
} from '../history/timeline';

/** A database; its tables are null until it is opened. */
export interface DatabaseNode {
  name: string;
  tables: string[] | null;
}

/** The open table `database.table`, and the values read for it. */
export interface OpenTable {
  table: string;
  summary: SummaryValue | null;
  levels: LevelsValue | null;
  timeline: TimelineValue | null;
  error: ErrorValue | null;
}

export interface ExploreValue {
  catalog: string;
  databases: DatabaseNode[];
  open: OpenTable | null;
}

/** `open-table` carries `database.table`. */
export type ExploreEvent =
  | { kind: 'open-database'; name: string }
  | { kind: 'open-table'; name: string }
  | LevelsEvent
  | TimelineEvent;

/** Show the tables of a catalog as a tree, with the pictures of the open table beside it. */
export function exploreView(
  element: HTMLElement,
  host: ViewHost<ExploreEvent>
): View<ExploreValue> {
  return new Explorer(element, host);
}

class Explorer implements View<ExploreValue> {
  private readonly stage: Stage;
  private readonly columns: HTMLElement;
  private readonly expanded = new Set<string>();
  private value: ExploreValue | null = null;
  private stop: string | null = null;
  private timeline: View<TimelineShown> | null = null;
  private levels: View<LevelsValue> | null = null;
  private drawnTable: string | null = null;

  constructor(
    element: HTMLElement,
    private readonly host: ViewHost<ExploreEvent>
  ) {
    const parts = ['tree-items', 'summary', 'timeline', 'levels'];
    this.stage = new Stage(element, 'explore', parts);
    this.columns = element.ownerDocument.createElement('div');
    this.columns.className = 'pwv-columns';
    const pane = element.ownerDocument.createElement('div');
    pane.append(...parts.slice(1).map(part => this.stage.part(part)));
    this.columns.append(this.stage.part('tree-items'), pane);
    this.stage.root.append(this.columns);
    const tree = this.stage.part('tree-items');
    tree.addEventListener('click', event => this.onClick(event));
    tree.addEventListener('keydown', event => this.onKey(event));
    tree.addEventListener('focusin', event => {
      this.stop = (event.target as HTMLElement).dataset.focus ?? this.stop;
    });
  }

  update(value: ExploreValue): void {
    this.value = value;
    if (value.open) {
      const owner = value.databases.find(item =>
        value.open?.table.startsWith(`${item.name}.`)
      );
      if (owner && this.drawnTable !== value.open.table) {
        this.expanded.add(owner.name);
      }
    }
    this.drawTree();
    this.drawPane(value.open);
  }

  dispose(): void {
    this.timeline?.dispose();
    this.levels?.dispose();
    this.stage.dispose();
  }

  private get texts(): Texts {
    return this.stage.texts(this.host, this.value?.open?.summary?.kind);
  }

  private drawTree(): void {
    const { stage, texts, value } = this;
    if (value === null) {
      return;
    }
    stage.name(texts.format('catalogTitle', { catalog: value.catalog }));
    stage.redraw(() => {
      const { expanded, stop } = this;
      stage.fill('tree-items', catalogTree(value, { expanded, stop }, texts));
    });
  }

  private drawPane(open: OpenTable | null): void {
    const { stage, texts } = this;
    if (open?.table !== this.drawnTable) {
      this.timeline?.dispose();
      this.levels?.dispose();
      this.timeline = this.levels = null;
      this.drawnTable = open?.table ?? null;
    }
    stage.fill(
      'summary',
      open === null
        ? html`<p class="pwv-empty">${texts.format('chooseTable')}</p>`
        : openTable(open, texts)
    );
    if (open?.timeline) {
      this.timeline ??= timelineView(stage.part('timeline'), this.host);
      const selected = open.summary?.snapshot ?? null;
      this.timeline.update({ timeline: open.timeline, selected });
    }
    if (open?.levels) {
      this.levels ??= levelsView(stage.part('levels'), {
        emit: event => this.host.emit(event),
        words: this.host.words,
        zone: this.host.zone || open.timeline?.zone
      });
      this.levels.update(open.levels);
    }
  }

  private onClick(event: Event): void {
    const item = (event.target as Element).closest<HTMLElement>(
      '[role=treeitem]'
    );
    if (item) {
      moveTo(item, { scroll: false });
      this.activate(item);
    }
  }

  private onKey(event: KeyboardEvent): void {
    const from = event.target as HTMLElement;
    if (!ringOf(from) || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    const { database } = from.dataset;
    const open = from.getAttribute('aria-expanded');
    if (event.key === 'Enter' || event.key === ' ') {
      this.activate(from);
    } else if (event.key === 'ArrowRight' && open === 'false') {
      this.toggle(database ?? '');
    } else if (event.key === 'ArrowLeft' && open === 'true') {
      this.toggle(database ?? '');
    } else {
      const to = treeMove(from, event.key);
      if (!to) {
        return;
      }
      moveTo(to);
    }
    event.preventDefault();
  }

  private activate(item: HTMLElement): void {
    const { database, table } = item.dataset;
    if (table !== undefined) {
      this.host.emit({ kind: 'open-table', name: table });
    } else if (database !== undefined) {
      this.toggle(database);
    }
  }

  private toggle(database: string): void {
    if (this.expanded.delete(database)) {
      this.drawTree();
      return;
    }
    this.expanded.add(database);
    this.drawTree();
    const node = this.value?.databases.find(item => item.name === database);
    if (node?.tables === null) {
      this.host.emit({ kind: 'open-database', name: database });
    }
  }
}
