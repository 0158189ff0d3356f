import type { BiographyValue, ErrorValue, SummaryValue } from '../../contract';
import { TableDisclosure } from '../disclosure';
import { html } from '../markup';
import { problem } from '../problem';
import {
  focusablesOf,
  moveTo,
  ringOf,
  Stage,
  type View,
  type ViewHost
} from '../stage';
import type { Texts } from '../texts';
import { commitFacts, versionFacts } from './facts';
import {
  formMarkup,
  formOfTable,
  formOfValue,
  textsOf,
  type RowForm
} from './form';
import { emptyHead, headMarkup } from './head';
import { lifePicture } from './life';
import { commitOf, versionsOf } from './model';
import { biographyTables, fieldTable } from './tables';

export type BiographyEvent =
  | { kind: 'select-version'; id: string }
  /** Requests the biography of another row. */
  | { kind: 'show-row'; key: Readonly<Record<string, string>> }
  /** Requests the biography of the row that satisfies a condition. */
  | { kind: 'find-row'; where: string }
  /** Requests the older commits of an incomplete biography. */
  | { kind: 'read-on' };

/**
 * A biography, or the requested row while there is no biography; on table pages, the picture also has a form for the
 * row.
 */
export interface BiographyShown {
  readonly value: BiographyValue | null;
  readonly table: SummaryValue | null;
  /** The requested key as a JSON object, and the requested condition. */
  readonly row: string | null;
  readonly where: string | null;
  readonly isReading: boolean;
  readonly error: ErrorValue | null;
}

const PARTS = ['head', 'form', 'problem', 'life', 'facts', 'fields', 'table'];

/** Return the state of the picture for a biography alone, as notebooks show it. */
export function shownOf(value: BiographyValue): BiographyShown {
  return {
    value,
    table: null,
    row: null,
    where: null,
    isReading: false,
    error: null
  };
}

/** A live picture of the versions of one row. */
export function biographyView(
  element: HTMLElement,
  host: ViewHost<BiographyEvent>
): View<BiographyShown> {
  return new BiographyPicture(element, host);
}

class BiographyPicture implements View<BiographyShown> {
  private readonly stage: Stage;
  private readonly disclosure: TableDisclosure;
  private value: BiographyValue | null = null;
  private stop = '';
  private selected: string | null = null;
  /** The version or commit whose facts are shown, if it is not the selected one. */
  private pointed: string | null = null;

  constructor(
    element: HTMLElement,
    private readonly host: ViewHost<BiographyEvent>
  ) {
    this.stage = new Stage(element, 'biography', PARTS);
    this.disclosure = new TableDisclosure(this.stage.part('table'));
    const { root } = this.stage;
    root.addEventListener('click', event => this.onClick(event));
    root.addEventListener('submit', event => this.onSubmit(event));
    root.addEventListener('keydown', event => this.onKey(event));
    root.addEventListener('focusin', event => this.point(event.target));
    root.addEventListener('pointerover', event => this.point(event.target));
  }

  update(shown: BiographyShown): void {
    const { value } = shown;
    const before = this.value;
    this.value = value;
    if (value === null) {
      this.drawWithout(shown);
      return;
    }
    const form = shown.table
      ? formOfTable(shown.table, shown)
      : formOfValue(value);
    this.stage.part('table').hidden = false;
    this.stage.fill('problem', html``);
    if (before && !isSameRow(before, value)) {
      this.selected = this.pointed = null;
      this.stop = '';
    }
    const { texts } = this;
    if (before && before.versions.length !== value.versions.length) {
      const n = value.versions.length;
      this.stage.announce(texts.format('biographyOf', { n }));
    }
    if (this.stop === '' || !this.has(this.stop)) {
      const last = value.versions[value.versions.length - 1];
      this.stop = last ? `version:${last.id}` : '';
    }
    this.stage.name(texts.format('biographyTitle', { table: value.table }));
    this.draw(value, form, texts);
    if (!value.complete) {
      this.host.emit({ kind: 'read-on' });
    }
  }

  dispose(): void {
    this.stage.dispose();
  }

  private get texts(): Texts {
    return this.stage.texts(this.host, undefined, this.value?.zone);
  }

  private has(name: string): boolean {
    const { commits = [], versions = [] } = this.value ?? {};
    const [kind, id] = name.split(':');
    return kind === 'commit'
      ? commits.some(each => each.id === id)
      : versions.some(each => String(each.id) === id);
  }

  private draw(
    value: BiographyValue,
    form: RowForm | null,
    texts: Texts
  ): void {
    const { stage, stop, selected } = this;
    stage.redraw(() => {
      stage.fill('head', headMarkup(value, texts));
      stage.fill('form', form ? formMarkup(form, texts) : html``);
      stage.fill(
        'life',
        value.versions.length > 0
          ? lifePicture(value, { stop, selected }, texts)
          : html``
      );
      stage.fill('fields', fieldTable(value, texts));
    });
    this.disclosure.update(texts.format('asTable'), () =>
      biographyTables(value, texts)
    );
    this.showFacts();
    this.showNewest();
  }

  /** Draw the form for a row, and why the requested row has no biography. */
  private drawWithout(shown: BiographyShown): void {
    const { stage, texts } = this;
    const { table, isReading, error } = shown;
    const form = table && formOfTable(table, shown);
    const hint =
      table === null
        ? null
        : form === null
          ? 'biographyNoIdentity'
          : 'where' in form
            ? 'biographyAskWhere'
            : 'biographyAskKey';
    this.selected = this.pointed = null;
    this.stop = '';
    const name = texts.format('biographyTitle', { table: table?.table ?? '' });
    stage.name(name);
    stage.redraw(() => {
      stage.fill(
        'head',
        table && hint
          ? emptyHead(table.table, texts.format(hint), texts)
          : html``
      );
      stage.fill('form', form ? formMarkup(form, texts) : html``);
      const waiting = html`<p class="pwv-dim" role="status">
        ${texts.format('loading')}
      </p>`;
      stage.fill(
        'problem',
        error ? problem(error) : isReading ? waiting : html``
      );
      ['life', 'facts', 'fields'].forEach(part => stage.fill(part, html``));
    });
    stage.part('table').hidden = true;
  }

  /** Scroll to the newest commits, unless the reader has chosen something. */
  private showNewest(): void {
    const scroll = this.stage.part('life').querySelector('.pwv-scroll');
    if (scroll && this.selected === null && this.stage.focused === null) {
      scroll.scrollLeft = scroll.scrollWidth;
    }
  }

  private showFacts(): void {
    const { stage, texts, value } = this;
    if (value === null || value.versions.length === 0) {
      stage.fill('facts', html``);
      return;
    }
    const name = this.pointed ?? this.selected;
    const [kind, id] = (name ?? '').split(':');
    const version = value.versions.find(each => String(each.id) === id);
    const commit = commitOf(value, id ?? null);
    const hint = html`<p class="pwv-dim">${texts.format('biographyHint')}</p>`;
    if (kind === 'commit' && commit) {
      stage.fill('facts', commitFacts(commit, texts));
    } else if (kind === 'version' && version) {
      stage.fill('facts', versionFacts(version, value, texts));
    } else {
      stage.fill('facts', hint);
    }
  }

  /**
   * Show the facts of the item under the pointer, and mark what belongs to it: versions of a column, columns of a
   * version.
   */
  private point(target: EventTarget | null): void {
    const element = target as Element;
    const row = element.closest<HTMLElement>('[data-field]');
    const item = element.closest<HTMLElement>('[data-version], [data-commit]');
    const name = item?.dataset.focus ?? null;
    if (name !== null) {
      this.pointed = name;
      this.showFacts();
    }
    const id = Number(item?.dataset.version ?? NaN);
    const { fields = [] } = this.value ?? {};
    const field = fields[Number(row?.dataset.field ?? NaN)];
    this.mark('[data-version]', element =>
      field ? versionsOf(field).has(Number(element.dataset.version)) : false
    );
    this.mark('[data-field]', element =>
      versionsOf(fields[Number(element.dataset.field)]).has(id)
    );
  }

  private mark(
    selector: string,
    wins: (element: HTMLElement) => boolean
  ): void {
    for (const element of this.stage.root.querySelectorAll<HTMLElement>(
      selector
    )) {
      element.toggleAttribute('data-won', wins(element));
    }
  }

  private onClick(event: Event): void {
    const target = event.target as Element;
    const link = target.closest<HTMLElement>('[data-goto]');
    if (link) {
      const bead = this.stage.named(`version:${link.dataset.goto}`);
      if (bead) {
        this.stop = bead.dataset.focus ?? '';
        moveTo(bead);
        this.choose(bead);
      }
      return;
    }
    const item = target.closest<HTMLElement>('[data-version], [data-commit]');
    if (item) {
      moveTo(item, { scroll: false });
      this.choose(item);
    }
  }

  private onSubmit(event: Event): void {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const key = textsOf(form);
    this.host.emit(
      form.dataset.by === 'where'
        ? { kind: 'find-row', where: key.where }
        : { kind: 'show-row', key }
    );
  }

  private onKey(event: KeyboardEvent): void {
    const from = event.target as HTMLElement;
    const ring = ringOf(from);
    if (!ring || event.altKey || event.metaKey || event.ctrlKey) {
      return;
    }
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.choose(from);
      return;
    }
    const items = focusablesOf(ring);
    const to = items[nextIndex(event.key, items.indexOf(from), items.length)];
    if (to) {
      event.preventDefault();
      this.stop = to.dataset.focus ?? '';
      moveTo(to);
    }
  }

  private choose(item: HTMLElement): void {
    const name = item.dataset.focus ?? null;
    this.stage
      .named(this.selected ?? '')
      ?.setAttribute('aria-pressed', 'false');
    item.setAttribute('aria-pressed', 'true');
    this.selected = this.pointed = name;
    this.showFacts();
    if (item.dataset.version !== undefined) {
      this.host.emit({ kind: 'select-version', id: item.dataset.version });
    }
  }
}

function isSameRow(one: BiographyValue, other: BiographyValue): boolean {
  return (
    one.table === other.table &&
    JSON.stringify(one.key) === JSON.stringify(other.key)
  );
}

function nextIndex(key: string, at: number, count: number): number {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'ArrowRight':
    case 'ArrowDown':
      return Math.min(at + 1, count - 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return -1;
  }
}
