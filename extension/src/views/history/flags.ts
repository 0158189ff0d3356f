import { html, type Markup } from '../markup';
import type { Texts } from '../texts';
import type { Words } from '../words';
import { ElementPool } from './kept';
import { placeOf, type Scale, type Spacing } from './scale';
import type { Pin, Series } from './series';

/** A flag above the snapshot of a tag, branch, consumer or schema change. */
export interface Flag {
  readonly pin: Pin;
  readonly x: number;
  /** The row of the flag, chosen so that flags do not overlap; null if no row has room for its name. */
  readonly line: number | null;
  /** Whether the flag extends to the left, as it does near the end of the axis. */
  readonly left: boolean;
}

export const FLAG_HEIGHT = 20;
const FLAG_LINES = 3;
const LETTER = 7;
const PADDING = 26;
const MAX_FLAG = 140;
/** More adjacent flags than this cannot be distinguished. */
const MAX_FLAGS = 300;
const MAX_ELSEWHERE = 4;
const TITLES: Record<Pin['kind'], keyof Words> = {
  tag: 'tagMark',
  branch: 'branchMark',
  consumer: 'consumerMark',
  schema: 'schemaMarkLong'
};
const NAMES: Record<Pin['kind'], keyof Words> = {
  tag: 'tagFlag',
  branch: 'branchFlag',
  consumer: 'consumerFlag',
  schema: 'schemaMark'
};

/** Return the visible flags, each in the first row that has room for its name, or in none. */
export function flagsOf(
  pins: readonly Pin[],
  series: Series,
  spacing: Spacing,
  scale: Scale,
  texts: Texts
): Flag[] {
  const ends = new Array<number>(FLAG_LINES).fill(-Infinity);
  const visibleRange = pins
    .filter(pin => isOnAxis(pin, series))
    .map(pin => ({ pin, x: scale.x(placeOfPin(pin, series, spacing)) }))
    .filter(({ x }) => x >= 0 && x <= scale.width)
    .sort((a, b) => a.x - b.x)
    .slice(0, MAX_FLAGS);
  return visibleRange.map(({ pin, x }) => {
    const length = Math.min(
      flagText(pin, texts).length * LETTER + PADDING,
      MAX_FLAG
    );
    const left = x + length > scale.width && x > length;
    const start = left ? x - length : x;
    const free = ends.findIndex(end => end <= start);
    if (free >= 0) {
      ends[free] = start + length;
    }
    return { pin, x, line: free >= 0 ? free : null, left };
  });
}

/** Return the height of the rows for the flags of a history; it stays the same while the user scrolls or zooms. */
export function flagsHeight(pins: readonly Pin[], series: Series): number {
  const count = pins.filter(pin => isOnAxis(pin, series)).length;
  return Math.min(count, FLAG_LINES) * FLAG_HEIGHT;
}

/** The elements of flags. */
export class Flags {
  private readonly elements: ElementPool;

  constructor(parent: HTMLElement) {
    this.elements = new ElementPool(parent);
  }

  draw(flags: readonly Flag[], texts: Texts): void {
    for (const { pin, x, line, left } of flags) {
      const css = `pwv-flag pwv-pin-${pin.kind}${left ? ' pwv-left' : ''}${line === null ? ' pwv-bare' : ''}`;
      const text = line === null ? '' : flagText(pin, texts);
      const element = this.elements.draw(`${css} ${pin.name}`, document => {
        const made = document.createElement('span');
        made.className = css;
        made.title = flagTitle(pin, texts);
        made.textContent = text;
        return made;
      });
      const top = (line ?? FLAG_LINES - 1) * FLAG_HEIGHT;
      const shift = left ? ' translateX(-100%)' : '';
      element.style.transform = `translate(${x.toFixed(1)}px,${top}px)${shift}`;
    }
    this.elements.end();
  }
}

/** Return a list of the tags, branches and consumers at snapshots that are not on the axis. */
export function elsewhereMarkup(
  pins: readonly Pin[],
  series: Series | null,
  texts: Texts
): Markup {
  const away = pins.filter(pin => !series || !isOnAxis(pin, series));
  if (away.length === 0) {
    return html``;
  }
  const shown = away.slice(0, MAX_ELSEWHERE).map(pin => {
    const facts = { name: flagText(pin, texts), id: pin.id };
    return html`<li
      class="pwv-flag pwv-pin-${pin.kind}${pin.expired && ' pwv-expired'}"
      title="${flagTitle(pin, texts)}"
    >
      ${texts.format(pin.expired ? 'tagExpired' : 'tagEarlier', facts)}
    </li>`;
  });
  const more = away.length - shown.length;
  return html`<ul
    class="pwv-elsewhere"
    aria-label="${texts.format('tagsElsewhere')}"
  >
    ${shown}${more > 0 && html`<li>${texts.format('tagsMore', { n: more })}</li>`}
  </ul>`;
}

/**
 * Return whether a pin is on the axis; this includes consumers that have read everything and wait for the next
 * snapshot.
 */
function isOnAxis(pin: Pin, series: Series): boolean {
  const waits = pin.kind === 'consumer' && pin.position > series.end;
  return waits || (pin.time !== null && pin.position >= series.start);
}

function placeOfPin(pin: Pin, series: Series, spacing: Spacing): number {
  const position = Math.min(pin.position, series.end);
  return spacing === 'time' && pin.time !== null
    ? pin.time
    : placeOf(series, spacing, position);
}

function flagText({ kind, name }: Pin, texts: Texts): string {
  return texts.format(NAMES[kind], { name, id: name });
}

function flagTitle(pin: Pin, texts: Texts): string {
  return texts.format(TITLES[pin.kind], { name: pin.name, id: pin.id });
}
