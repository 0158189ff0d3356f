import { changesText } from './details';
import { html, type Markup } from './markup';
import type { Texts } from './texts';
import { rowsLine, type Mark, type TimelineLayout } from './timeline_layout';

export interface TimelinePicture {
  layout: TimelineLayout;
  /** The selected snapshot, and the one that is the tab stop. */
  selected: string | null;
  stop: string | null;
  /** The snapshots that the previous value did not have. */
  fresh: ReadonlySet<string>;
}

/** A kind is shown by its first letter, except ANALYZE, which would be a second A. */
const LETTERS: Record<string, string> = { ANALYZE: 'N' };
const LINE_HEIGHT = 40;
const FLAG_HEIGHT = 20;
const LANE_HEIGHT = 40;
const ID_WIDTH = 7.5;
const DAY_WIDTH = 76;
const MAX_ELSEWHERE = 4;

export function letterOf(kind: string): string {
  return LETTERS[kind] ?? kind.charAt(0);
}

/** Return the lanes of snapshots below the line of stored rows, oldest to newest. */
export function timelinePicture(
  picture: TimelinePicture,
  texts: Texts
): Markup {
  const { layout } = picture;
  const flagsHeight = layout.flagLines * FLAG_HEIGHT;
  const lanes = layout.lanes.length * LANE_HEIGHT;
  const { points, most } = rowsLine(layout.marks, LINE_HEIGHT - 6);
  return html`<div class="pwv-time">
    <div class="pwv-lane-names" aria-hidden="true">
      <div style="height:${LINE_HEIGHT + 4}px">
        <small>${texts.say('totalRows', { n: most })}</small>
      </div>
      <div style="height:${flagsHeight}px">
        ${layout.flagLines > 0 && html`<small>${texts.say('tagsLane')}</small>`}
      </div>
      ${layout.lanes.map(
        kind =>
          html`<div style="height:${LANE_HEIGHT}px">
            <b>${letterOf(kind)}</b><small>${kind}</small>
          </div>`
      )}
    </div>
    <div class="pwv-scroll">
      ${elsewhere(layout, texts)}
      <div class="pwv-strip" style="width:${layout.width}px">
        ${storedRows(points, layout.width)}
        <div class="pwv-flags" style="height:${flagsHeight}px">
          ${flags(layout, texts)}
        </div>
        <div
          class="pwv-lanes"
          role="listbox"
          aria-orientation="horizontal"
          data-ring="time"
          aria-label="${texts.say('timelineSection')}"
          style="height:${lanes}px;--pwv-lane:${LANE_HEIGHT}px"
        >
          ${layout.marks.map(item => mark(picture, item, texts))}
        </div>
        ${ticks(layout, texts)}
      </div>
    </div>
  </div>`;
}

/** Return one sentence with the facts of a snapshot, its accessible name. */
export function snapshotLabel(
  { snapshot, newSchema }: Mark,
  texts: Texts
): string {
  const label = texts.say('snapshotLabel', {
    id: snapshot.id,
    kind: snapshot.kind,
    time: texts.zoned(snapshot.time_millis),
    changes: changesText(snapshot, texts),
    total:
      snapshot.rows_total === null
        ? texts.say('notCounted')
        : texts.count(snapshot.rows_total)
  });
  const facts = [label];
  if (snapshot.tags.length > 0) {
    facts.push(texts.say('taggedWith', { names: snapshot.tags.join(', ') }));
  }
  if (newSchema) {
    facts.push(texts.say('schemaChanged'));
  }
  return facts.join(', ');
}

function mark(picture: TimelinePicture, item: Mark, texts: Texts): Markup {
  const { snapshot, x, lane, size } = item;
  const selected = snapshot.id === picture.selected;
  const fresh = picture.fresh.has(snapshot.id);
  return html`<div
    role="option"
    class="pwv-mark pwv-kind-${kindClass(snapshot.kind)}${fresh ? ' pwv-new' : ''}"
    data-focus="snapshot:${snapshot.id}"
    data-snapshot="${snapshot.id}"
    tabindex="${snapshot.id === picture.stop ? 0 : -1}"
    aria-selected="${selected ? 'true' : 'false'}"
    aria-label="${snapshotLabel(item, texts)}${fresh ? `, ${texts.say('newFile')}` : ''}"
    style="left:${x.toFixed(1)}px;top:${(lane + 0.5) * LANE_HEIGHT}px;width:${size}px;height:${size}px"
  >
    ${letterOf(snapshot.kind)}
  </div>`;
}

function kindClass(kind: string): string {
  return ['APPEND', 'COMPACT', 'OVERWRITE', 'ANALYZE'].includes(kind)
    ? kind.toLowerCase()
    : 'other';
}

function storedRows(points: string, width: number): Markup {
  const positions = points.split(' ');
  const [first] = positions[0].split(',');
  const [last] = positions[positions.length - 1].split(',');
  const ground = `${first},${LINE_HEIGHT} ${points} ${last},${LINE_HEIGHT}`;
  return html`<svg
    class="pwv-line"
    width="${width}"
    height="${LINE_HEIGHT}"
    aria-hidden="true"
  >
    ${
      points !== '' &&
      html`<g transform="translate(0 4)">
        <polygon points="${ground}" />
        <polyline points="${points}" />
      </g>`
    }
  </svg>`;
}

function flags({ flags: all, width }: TimelineLayout, texts: Texts): Markup[] {
  return all.map(
    ({ tag, x, line, left }) =>
      html`<span
        class="pwv-flag ${left && 'pwv-left'}"
        title="${texts.say('tagMark', { name: tag.name, id: tag.snapshot })}"
        style="${left ? `right:${(width - x).toFixed(1)}px` : `left:${x.toFixed(1)}px`};top:${line * FLAG_HEIGHT}px"
        >${tag.name}</span
      >`
  );
}

/** Return as many ids below the marks as fit, with a note where the schema changed. */
function ticks({ marks, width }: TimelineLayout, texts: Texts): Markup {
  const longest = Math.max(0, ...marks.map(item => item.snapshot.id.length));
  const room = longest * ID_WIDTH + 8;
  let end = -Infinity;
  let day = '';
  const shown: Markup[] = [];
  let dayEnd = -Infinity;
  for (const { snapshot, x, newSchema } of marks) {
    const left = `left:${x.toFixed(1)}px`;
    if (x - room / 2 >= end) {
      shown.push(
        html`<span class="pwv-tick" style="${left}">${snapshot.id}</span>`
      );
      end = x + room / 2;
    }
    const date = texts.time(snapshot.time_millis).slice(0, 10);
    if (date !== day && x > dayEnd && x + DAY_WIDTH < width) {
      shown.push(html`<span class="pwv-day" style="${left}">${date}</span>`);
      dayEnd = x + DAY_WIDTH;
    }
    day = date;
    if (newSchema) {
      shown.push(
        html`<span class="pwv-schema" style="${left}"
          >${texts.say('schemaMark', { id: snapshot.schema_id })}</span
        >`
      );
    }
  }
  return html`<div class="pwv-ticks" aria-hidden="true">${shown}</div>`;
}

function elsewhere(
  { elsewhere: tags, edge }: TimelineLayout,
  texts: Texts
): Markup {
  if (tags.length === 0) {
    return html``;
  }
  const shown = tags
    .slice(0, MAX_ELSEWHERE)
    .map(
      tag =>
        html`<li class="pwv-flag ${tag.expired ? 'pwv-expired' : ''}">
          ${texts.say(tag.expired ? 'tagExpired' : 'tagEarlier', { name: tag.name, id: tag.snapshot })}
        </li>`
    );
  const more = tags.length - shown.length;
  return html`<ul
    class="pwv-elsewhere"
    style="width:${edge}px"
    aria-label="${texts.say('tagsElsewhere')}"
  >
    ${shown}${more > 0 && html`<li>${texts.say('tagsMore', { n: more })}</li>`}
  </ul>`;
}
