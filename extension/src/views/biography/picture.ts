import type { BiographyValue } from '../../contract';
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
import { commitFacts, versionFacts } from './facts';
import { lifePicture } from './life';
import { commitOf, versionsOf } from './model';
import { biographyTables, fieldTable } from './tables';

export type BiographyEvent =
  | { kind: 'select-version'; id: string }
  /** Asks for the life of another row. */
  | { kind: 'show-row'; key: Readonly<Record<string, string>> }
  /** Asks for the older commits of an incomplete biography. */
  | { kind: 'read-on' };

const PARTS = ['head', 'form', 'life', 'facts', 'fields', 'table'];

/** A live picture of the versions of one row. */
export function biographyView(
  element: HTMLElement,
  host: ViewHost<BiographyEvent>
): View<BiographyValue> {
  return new BiographyPicture(element, host);
}

class BiographyPicture implements View<BiographyValue> {
  private readonly stage: Stage;
  private readonly disclosure: TableDisclosure;
  private value: BiographyValue | null = null;
  private stop = '';
  private selected: string | null = null;
  /** The version or commit whose facts are shown, when it is not the selected one. */
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

  update(value: BiographyValue): void {
    const before = this.value;
    this.value = value;
    if (before && !isSameRow(before, value)) {
      this.selected = this.pointed = null;
      this.stop = '';
    }
    const { texts } = this;
    if (before && before.versions.length !== value.versions.length) {
      const n = value.versions.length;
      this.stage.announce(texts.say('biographyOf', { n }));
    }
    if (this.stop === '' || !this.has(this.stop)) {
      const last = value.versions[value.versions.length - 1];
      this.stop = last ? `version:${last.id}` : '';
    }
    this.stage.name(texts.say('biographyTitle', { table: value.table }));
    this.draw(value, texts);
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

  private draw(value: BiographyValue, texts: Texts): void {
    const { stage, stop, selected } = this;
    stage.redraw(() => {
      stage.fill('head', head(value, texts));
      stage.fill('form', form(value, texts));
      stage.fill(
        'life',
        value.versions.length > 0
          ? lifePicture(value, { stop, selected }, texts)
          : html``
      );
      stage.fill('fields', fieldTable(value, texts));
    });
    this.disclosure.update(texts.say('asTable'), () =>
      biographyTables(value, texts)
    );
    this.showFacts();
    this.showNewest();
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
    const hint = html`<p class="pwv-dim">${texts.say('biographyHint')}</p>`;
    if (kind === 'commit' && commit) {
      stage.fill('facts', commitFacts(commit, texts));
    } else if (kind === 'version' && version) {
      stage.fill('facts', versionFacts(version, value, texts));
    } else {
      stage.fill('facts', hint);
    }
  }

  /** Show the facts of what is pointed at, and what belongs to it: versions of a column, columns of a version. */
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
    const inputs = (event.target as Element).querySelectorAll('input');
    const key = Object.fromEntries(
      Array.from(inputs, input => [input.name, input.value])
    );
    this.host.emit({ kind: 'show-row', key });
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

function head(value: BiographyValue, texts: Texts): Markup {
  const row = value.key.map(({ name, text }) => `${name} = ${text}`).join(', ');
  const unread = value.unread.map(({ file }) => file).join(', ');
  return html`<h3>
      ${texts.say('biographyTitle', { table: value.table })}${
        value.snapshot !== null &&
        html` <small>${texts.say('atSnapshot', { id: value.snapshot })}</small>`
      }
    </h3>
    <p><b>${row}</b></p>
    <p class="${value.versions.length === 0 && 'pwv-empty'}">
      ${value.summary}
    </p>
    ${value.history && html`<p class="pwv-dim">${value.history}</p>`}
    ${
      !value.complete &&
      html`<p class="pwv-dim" role="status">
        ${texts.say('biographyReading', { id: value.read_from ?? '' })}
      </p>`
    }
    ${
      !value.agrees &&
      html`<p class="pwv-notice" role="alert">
        ${texts.say('biographyDisagrees')}
      </p>`
    }
    ${
      unread &&
      html`<p class="pwv-notice">
        ${texts.say('biographyUnread', { n: value.unread.length, files: unread })}
      </p>`
    }`;
}

/** Return the inputs for the key of another row; rows without a key have none. */
function form(value: BiographyValue, texts: Texts): Markup {
  const keys = new Set(
    value.fields.filter(({ key }) => key).map(({ name }) => name)
  );
  if (keys.size === 0 || !value.key.every(({ name }) => keys.has(name))) {
    return html``;
  }
  return html`<form
    class="pwv-row-form"
    aria-label="${texts.say('biographyKey')}"
  >
    ${value.key.map(
      ({ name, text }) =>
        html`<label
          >${name}
          <input
            name="${name}"
            value="${text}"
            spellcheck="false"
            data-focus="key:${name}"
        /></label>`
    )}
    <button type="submit" data-focus="show">
      ${texts.say('biographyShow')}
    </button>
  </form>`;
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
