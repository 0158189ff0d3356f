import type { CompactionStory, FileValue, RunValue } from '../../contract';
import { html, type Markup } from '../markup';

export type Role = 'read' | 'written' | 'moved' | 'kept';

/** More ribbons than this cannot be distinguished. */
const MAX_RIBBONS = 1500;
/** The share of a file's width that its incoming ribbons may overlap by before each gets a place of its own. */
const OVERLAP = 0.25;
const LEAST_RIBBON = 1;

export interface Box {
  readonly file: FileValue;
  readonly role: Role;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Side {
  readonly boxes: readonly Box[];
  readonly lanes: readonly { run: RunValue; y: number }[];
  readonly lane: number;
  readonly top: number;
  readonly bottom: number;
  readonly hidden: number;
}

/** The part of a file of the result to which a ribbon leads. */
interface Slot {
  readonly left: number;
  readonly right: number;
}

/** Return a gradient for each pair of levels. */
export function gradients(id: string): Markup[] {
  const stops = ['from', 'through', 'to'];
  return stops.flatMap(from =>
    stops.map(
      to =>
        html`<linearGradient
          id="${id}-${from}-${to}"
          x1="0"
          y1="0"
          x2="0"
          y2="1"
        >
          <stop class="pwv-${from}" offset="0"></stop>
          <stop class="pwv-${to}" offset="1"></stop>
        </linearGradient>`
    )
  );
}

/** Return the ribbons from each file that was read to those that contain its rows now. */
export function ribbons(
  story: CompactionStory,
  before: Side,
  after: Side,
  id: string,
  bottom: number
): Markup[] {
  const links = story.links.slice(0, MAX_RIBBONS);
  const slots = slotsOf(links, before, after);
  return links.flatMap((link, at) => {
    const from = before.boxes[link.before];
    const to = after.boxes[link.after];
    if (!from || !to) {
      return [];
    }
    const named = html`data-from="before:${link.before}"
    data-to="after:${link.after}"`;
    const top = from.y + from.height;
    const middle = (Math.max(top, before.bottom - 8) + to.y) / 2;
    if (from.role === 'moved') {
      const [start, end] = [from.x + from.width / 2, to.x + to.width / 2];
      const path = `M${fixed(start)} ${fixed(top)}C${fixed(start)} ${fixed(middle)} ${fixed(end)} ${fixed(middle)} ${fixed(end)} ${fixed(to.y)}`;
      return [
        html`<path
          class="pwv-ribbon pwv-ribbon-moved"
          ${named}
          d="${path}"
        ></path>`
      ];
    }
    const { left, right } = slots[at];
    const start = startOf(from, slots[at], clip(from, to));
    const [x, end] = [start.left, start.right];
    const path = `M${fixed(x)} ${fixed(top)}C${fixed(x)} ${fixed(middle)} ${fixed(left)} ${fixed(middle)} ${fixed(left)} ${fixed(to.y)}L${fixed(right)} ${fixed(to.y)}C${fixed(right)} ${fixed(middle)} ${fixed(end)} ${fixed(middle)} ${fixed(end)} ${fixed(top)}Z`;
    const tones = `${toneOf(from.file.level, bottom)}-${toneOf(to.file.level, bottom)}`;
    return [
      html`<path
        class="pwv-ribbon"
        ${named}
        fill="url(#${id}-${tones})"
        d="${path}"
      ></path>`
    ];
  });
}

/**
 * Return where each link ends. Ribbons of runs that span the same keys would cover each other: they then share the width
 * of the file they lead to, from the newest run to the oldest.
 */
function slotsOf(
  links: CompactionStory['links'],
  before: Side,
  after: Side
): Slot[] {
  const incoming = new Map<number, number[]>();
  links.forEach((link, at) =>
    incoming.set(link.after, [...(incoming.get(link.after) ?? []), at])
  );
  const slots: Slot[] = [];
  for (const [to, members] of incoming) {
    const target = after.boxes[to];
    const clipped = members.map(at =>
      clip(before.boxes[links[at].before], target)
    );
    const total = clipped.reduce(
      (all, { left, right }) => all + right - left,
      0
    );
    const shares = target && total > target.width * (1 + OVERLAP);
    const share = shares ? target.width / members.length : 0;
    const gap = Math.min(2, share / 4);
    members.forEach((at, place) => {
      const left = target ? target.x + place * share : 0;
      slots[at] = shares
        ? { left, right: Math.max(left + share - gap, left + LEAST_RIBBON) }
        : clipped[place];
    });
  }
  return slots;
}

/** Return the part of a file of the result that has the keys of a file that was read. */
function clip(from: Box | undefined, to: Box | undefined): Slot {
  if (!from || !to) {
    return { left: 0, right: 0 };
  }
  const left = Math.min(Math.max(from.x, to.x), to.x + to.width - 1);
  const right = Math.min(from.x + from.width, to.x + to.width);
  return { left, right: Math.max(right, left + LEAST_RIBBON) };
}

/** Return the part of the file that was read above a slot, or all of it if the ribbon need not share its end. */
function startOf(from: Box, slot: Slot, whole: Slot): Slot {
  if (slot.left === whole.left && slot.right === whole.right) {
    return { left: from.x, right: from.x + from.width };
  }
  const end = from.x + from.width;
  const left = Math.min(Math.max(slot.left, from.x), end - LEAST_RIBBON);
  return {
    left,
    right: Math.max(Math.min(slot.right, end), left + LEAST_RIBBON)
  };
}

export function toneOf(
  level: number,
  bottom: number
): 'from' | 'through' | 'to' {
  return level === 0 ? 'from' : level < bottom ? 'through' : 'to';
}

export function fixed(value: number): string {
  return `${+value.toFixed(1)}`;
}
