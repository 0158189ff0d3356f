import type { Requests, Responses } from '../contract';
import { Texts, type TableKind } from './texts';
import { type Markup } from './markup';
import { STYLES } from './styles';
import type { Words } from './words';

/** A picture that draws values in an element. */
export interface View<V> {
  update(value: V): void;
  dispose(): void;
}

type OfTable =
  | 'history'
  | 'snapshots'
  | 'snapshot_search'
  | 'diff_counts'
  | 'diff_rows'
  | 'compactions'
  | 'compaction'
  | 'compaction_replay'
  | 'compaction_costs';

/** Reads an endpoint about the shown table. Rejects with `AbortError` when canceled. */
export type TableRead = <E extends OfTable>(
  endpoint: E,
  request: Omit<Requests[E], 'catalog' | 'database' | 'table'>,
  signal?: AbortSignal
) => Promise<Responses[E]>;

/**
 * Draws a plotly figure, given as JSON, in an element. Returns a function that removes it, or null if the figure cannot
 * be drawn.
 */
export type DrawFigure = (
  element: HTMLElement,
  figure: string
) => (() => void) | null;

/** What a view needs from its page. */
export interface ViewHost<E> {
  emit(event: E): void;
  words?: Partial<Words>;
  /** The time zone of all times; by default, the browser's time zone. */
  zone?: string;
  /** Reads more of the table; without it, a view shows only the given value. */
  read?: TableRead;
  /** Draws figures; without it, a view draws simpler curves. */
  figure?: DrawFigure;
}

interface Spoken {
  words: Partial<Words> | undefined;
  zone: string | undefined;
  kind: TableKind | undefined;
  texts: Texts;
}

/**
 * The element in which a view draws: named parts that are replaced only when they change, a live region, and a focus
 * that survives replacements.
 */
export class Stage {
  readonly root: HTMLElement;
  private readonly parts = new Map<string, HTMLElement>();
  private readonly drawn = new Map<string, string>();
  private readonly live: HTMLElement;
  private spoken: Spoken | null = null;

  constructor(parent: HTMLElement, name: string, parts: readonly string[]) {
    const document = parent.ownerDocument;
    this.root = document.createElement('div');
    this.root.className = `pwv pwv-${name}`;
    if (!parent.closest('.pwv')) {
      const style = document.createElement('style');
      style.textContent = STYLES;
      this.root.append(style);
    }
    const position = document.createElement('div');
    position.className = 'pwv-parts';
    for (const part of parts) {
      const element = document.createElement('div');
      element.className = `pwv-part pwv-part-${part}`;
      this.parts.set(part, element);
      position.append(element);
    }
    this.root.append(position);
    this.live = document.createElement('div');
    this.live.className = 'pwv-hidden';
    this.live.setAttribute('role', 'status');
    this.root.append(this.live);
    // Redrawing the same news must not flash again.
    this.root.addEventListener('animationend', () =>
      this.root.removeAttribute('data-news')
    );
    parent.append(this.root);
  }

  /** Return the texts and formats for a host and a kind of table, in the language of the page. */
  texts(host: ViewHost<never>, kind?: TableKind, zone?: string): Texts {
    const { words } = host;
    const shownZone = host.zone || zone;
    // Formats are slow to create and are needed on every pointer move.
    if (
      this.spoken === null ||
      this.spoken.words !== words ||
      this.spoken.zone !== shownZone ||
      this.spoken.kind !== kind
    ) {
      const locale = this.root.ownerDocument.documentElement.lang || 'en';
      const texts = new Texts(words, shownZone, locale, kind);
      this.spoken = { words, zone: shownZone, kind, texts };
    }
    return this.spoken.texts;
  }

  part(name: string): HTMLElement {
    const part = this.parts.get(name);
    if (!part) {
      throw new Error(`The view has no part ${name}.`);
    }
    return part;
  }

  /** Set the accessible name of the picture. */
  name(text: string): void {
    this.root.setAttribute('role', 'group');
    this.root.setAttribute('aria-label', text);
  }

  /** Set the markup of a part, unless it is unchanged. */
  fill(name: string, markup: Markup): void {
    if (this.drawn.get(name) === markup.text) {
      return;
    }
    const part = this.part(name);
    const { scrollLeft = 0, scrollTop = 0 } =
      part.querySelector('.pwv-scroll') ?? {};
    part.innerHTML = markup.text;
    this.drawn.set(name, markup.text);
    // Setting a scroll position forces a layout, so it is only restored if there was one.
    const scroll = part.querySelector('.pwv-scroll');
    if (scroll && (scrollLeft || scrollTop)) {
      scroll.scrollLeft = scrollLeft;
      scroll.scrollTop = scrollTop;
    }
  }

  /** Highlight the elements that are marked as new, and announce a text to screen readers. */
  announce(text: string): void {
    this.live.textContent = text;
    this.root.toggleAttribute('data-news', text !== '');
  }

  /** The focused element, if it is inside the view. */
  get focused(): HTMLElement | null {
    const active = (this.root.getRootNode() as Document | ShadowRoot)
      .activeElement;
    return active && this.root.contains(active)
      ? (active as HTMLElement)
      : null;
  }

  /**
   * Draw, then restore the focus to the element of the same item
   * (`data-focus`), or to the tab stop of the same picture (`data-ring`).
   */
  redraw(draw: () => void): void {
    const focused = this.focused;
    const name = focused?.dataset.focus;
    const ring = ringOf(focused)?.dataset.ring;
    draw();
    if (name === undefined || this.root.contains(focused)) {
      return;
    }
    const heir =
      this.named(name) ??
      this.root.querySelector<HTMLElement>(
        `[data-ring="${ring}"] [data-focus][tabindex="0"]`
      );
    if (heir) {
      moveTo(heir, { scroll: false });
    }
  }

  /** Return the element whose `data-focus` is `name`. */
  named(name: string): HTMLElement | null {
    for (const element of this.root.querySelectorAll<HTMLElement>(
      '[data-focus]'
    )) {
      if (element.dataset.focus === name) {
        return element;
      }
    }
    return null;
  }

  dispose(): void {
    this.root.remove();
  }
}

/** Return the picture with a single tab stop that contains an element. */
export function ringOf(element: Element | null): HTMLElement | null {
  return element?.closest<HTMLElement>('[data-ring]') ?? null;
}

/** Return all focusable items of a picture, in document order. */
export function focusablesOf(ring: Element): HTMLElement[] {
  return Array.from(ring.querySelectorAll<HTMLElement>('[data-focus]'));
}

/** Make an element the tab stop of its picture and focus it. */
export function moveTo(element: HTMLElement, { scroll = true } = {}): void {
  const ring = ringOf(element);
  if (ring) {
    for (const stop of ring.querySelectorAll('[data-focus][tabindex="0"]')) {
      stop.setAttribute('tabindex', '-1');
    }
    element.setAttribute('tabindex', '0');
  }
  element.focus({ preventScroll: !scroll });
}
