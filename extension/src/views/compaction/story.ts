import type { BucketValue, CompactionStory, FileValue } from '../../contract';
import { facts } from '../details';
import { html, type Markup } from '../markup';
import { sum, type Texts } from '../texts';
import { fileLabel, filesOf } from '../levels/tree';
import type { Words } from '../words';
import {
  fixed,
  gradients,
  ribbons,
  toneOf,
  type Box,
  type Role,
  type Side
} from './ribbons';
import { placeOf, ruleBadge, ruleName, ruleSentence } from './rules';

const ROLES: Record<Role, keyof Words> = {
  read: 'roleRead',
  written: 'roleWritten',
  moved: 'roleMoved',
  kept: 'roleKept'
};
const GUTTER = 44;
/** The height of the title of a side. */
const HEAD = 24;
const GAP = 116;
const MAX_LANE = 30;
const MIN_LANE = 7;
const SIDE_HEIGHT = 250;
const MAX_RUNS = 60;
const LEAST = 3;
const LABEL_WIDTH = 62;

/** Return why a compaction ran, and what it read, wrote and moved. */
export function storyHead(story: CompactionStory, texts: Texts): Markup {
  const { compaction } = story;
  const origin = {
    recorded: texts.format('originRecorded'),
    recomputed: texts.format('originRecomputed'),
    unexplained: texts.format('originUnexplained')
  }[compaction.origin];
  const others = compaction.alternatives.map(rule => ruleName(rule, texts));
  return html`<h3>
      ${texts.format('storyTitle', { id: compaction.snapshot, where: placeOf(compaction, texts) })}
      <small>${texts.zoned(compaction.time_millis)}</small>
    </h3>
    <div class="pwv-why">
      ${ruleBadge(compaction.rule, texts)}
      <p>${ruleSentence(compaction, texts)}</p>
      <span class="pwv-origin pwv-origin-${compaction.origin}">${origin}</span>
    </div>
    ${
      others.length > 0 &&
      html`<p class="pwv-dim">
        ${texts.format('alternatives', { rules: others.join(', ') })}
      </p>`
    }
    <div class="pwv-numbers">
      ${compaction.rounds > 1 && html`<span>${texts.format('roundsTaken', { n: compaction.rounds })}</span>`}
      ${compaction.numbers.map(
        each =>
          html`<span
            ><em>${each.name.replace(/_/g, ' ')}</em>${each.text}</span
          >`
      )}
    </div>`;
}

/** Return the key figures of a compaction. */
export function storyFacts(story: CompactionStory, texts: Texts): Markup {
  const { compaction: each } = story;
  const part = (files: number, rows: string, size: string) =>
    files === 0
      ? ''
      : texts.format('storyFilesAll', {
          files: texts.format('files', { n: files }),
          rows: texts.format('rows', { n: BigInt(rows) }),
          size: texts.size(size)
        });
  const dropped = texts.format('storyShare', {
    n: texts.count(each.rows_dropped),
    share: texts.percent(each.rows_dropped, each.rows_read)
  });
  return facts([
    [
      texts.format('storyRead'),
      part(each.files_read, each.rows_read, each.bytes_read)
    ],
    [
      texts.format('storyWrote'),
      part(each.files_written, each.rows_written, each.bytes_written)
    ],
    [
      texts.format('storyMoved'),
      part(each.files_moved, each.rows_moved, each.bytes_moved)
    ],
    [texts.format('storyDropped'), each.files_read > 0 ? dropped : ''],
    [
      texts.format('storyTook'),
      each.millis === null ? '' : texts.duration(each.millis)
    ],
    [texts.format('storyBy'), each.writer || each.user]
  ]);
}

/** Return the bucket before and after, with ribbons from each file to the files that contain its rows now. */
export function storyPicture(
  story: CompactionStory,
  width: number,
  stop: string | null,
  id: string,
  texts: Texts
): Markup {
  const moved = new Set(story.moved);
  const role = (names: readonly string[], changed: Role) => {
    const those = new Set(names);
    return ({ name }: FileValue): Role =>
      moved.has(name) ? 'moved' : those.has(name) ? changed : 'kept';
  };
  const before = side(story.before, HEAD, width, role(story.read, 'read'));
  const after = side(
    story.after,
    before.bottom + GAP,
    width,
    role(story.written, 'written')
  );
  const height = after.bottom + HEAD;
  const keyed = story.keys.length > 0;
  const bottom = Math.max(lastLevel(story.before), lastLevel(story.after));
  const drawn = (one: Side, where: 'before' | 'after', bucket: BucketValue) =>
    sideMarkup(one, where, bucket, { keyed, bottom, stop, width }, texts);
  return html`<svg
      class="pwv-story"
      viewBox="0 0 ${width} ${height}"
      height="${height}"
      role="group"
      data-ring="story"
      aria-label="${texts.format('storyTitle', { id: story.compaction.snapshot, where: placeOf(story.compaction, texts) })}"
    >
      <defs>${gradients(id)}</defs>
      <g aria-hidden="true">${ribbons(story, before, after, id, bottom)}</g>
      ${drawn(before, 'before', story.before)}${drawn(after, 'after', story.after)}
    </svg>
    ${legend(story, texts)}`;
}

function side(
  bucket: BucketValue,
  top: number,
  width: number,
  roleOf: (file: FileValue) => Role
): Side {
  const runs = bucket.runs.slice(0, MAX_RUNS);
  const fitting = Math.floor(SIDE_HEIGHT / Math.max(1, runs.length));
  const lane = Math.min(MAX_LANE, Math.max(MIN_LANE, fitting));
  const span = width - GUTTER - 2;
  const least = Math.max(LEAST, 0);
  const lanes = runs.map((run, row) => ({ run, y: top + row * lane }));
  const boxes = lanes.flatMap(({ run, y }) =>
    run.files.map(file => {
      const wide = Math.max(least, (file.end - file.start) * span);
      const x = Math.min(GUTTER + file.start * span, width - 2 - wide);
      const gap = lane > 12 ? 3 : 1;
      return {
        file,
        role: roleOf(file),
        x,
        y: y + gap,
        width: wide,
        height: lane - 2 * gap
      };
    })
  );
  const bottom = top + Math.max(1, runs.length) * lane;
  return {
    boxes,
    lanes,
    lane,
    top,
    bottom,
    hidden: bucket.runs.length - runs.length
  };
}

interface Drawing {
  readonly keyed: boolean;
  /** The last level of both sides, which is drawn in its own color. */
  readonly bottom: number;
  readonly stop: string | null;
  readonly width: number;
}

function sideMarkup(
  one: Side,
  where: 'before' | 'after',
  bucket: BucketValue,
  { keyed, bottom, stop, width }: Drawing,
  texts: Texts
): Markup {
  const title = texts.format(where === 'before' ? 'storyBefore' : 'storyAfter');
  const files = filesOf(bucket);
  const all = {
    side: title,
    runs: texts.format('runs', { n: bucket.runs.length }),
    files: texts.format('files', { n: files.length }),
    size: texts.size(sum(files.map(file => file.size)))
  };
  const older =
    one.hidden > 0 && `; ${texts.format('olderRuns', { n: one.hidden })}`;
  const totals = [...(keyed ? [all.runs] : []), all.files, all.size].join(', ');
  // The ribbons are between the sides, so that the titles are above the first and below the second.
  const y = where === 'before' ? one.top - 9 : one.bottom + 17;
  const named = one.lane >= 11;
  return html`<g role="group" aria-label="${texts.format('storySide', all)}">
    <text class="pwv-side" x="0" y="${y}">
      ${title}<tspan class="pwv-soft" font-weight="400" dx="8"
        >${totals}${older}</tspan
      >
    </text>
    ${one.lanes.map(
      ({ run, y }, row) =>
        html`<line
            class="pwv-lane"
            x1="${GUTTER}"
            x2="${width}"
            y1="${y + one.lane}"
            y2="${y + one.lane}"
          ></line
          >${
            (named ||
              row === 0 ||
              one.lanes[row - 1].run.level !== run.level) &&
            html`<text x="0" y="${y + one.lane / 2 + 4}"
              >${keyed ? `L${run.level}` : texts.format('appendLane')}</text
            >`
          }`
    )}
    ${one.lanes.length === 0 && html`<text class="pwv-soft" x="${GUTTER}" y="${one.top + 18}">${texts.format('storyEmpty')}</text>`}
    ${one.boxes.map((box, index) => boxMarkup(box, `${where}:${index}`, stop, bottom, texts))}
  </g>`;
}

function boxMarkup(
  { file, role, x, y, width, height }: Box,
  name: string,
  stop: string | null,
  bottom: number,
  texts: Texts
): Markup {
  const label = texts.format('fileAndRole', {
    file: fileLabel(file, texts),
    role: texts.format(ROLES[role])
  });
  const css = { from: 'l0', through: 'middle', to: 'last' }[
    toneOf(file.level, bottom)
  ];
  const text = texts.format('rows', { n: BigInt(file.rows) });
  const labeled =
    width > Math.max(LABEL_WIDTH, text.length * 6.2 + 10) && height >= 14;
  return html`<g
    class="pwv-box pwv-${css} pwv-was-${role}"
    role="img"
    data-focus="box:${name}"
    data-box="${name}"
    tabindex="${name === stop ? 0 : -1}"
    aria-label="${label}"
    ><rect
      x="${fixed(x)}"
      y="${fixed(y)}"
      width="${fixed(width)}"
      height="${fixed(height)}"
      rx="${height > 9 ? 4 : 1}"
    ></rect
    >${
      labeled &&
      html`<text x="${fixed(x + 7)}" y="${fixed(y + height / 2 + 4)}"
        >${text}</text
      >`
    }</g
  >`;
}

function lastLevel({ runs }: BucketValue): number {
  return runs[runs.length - 1]?.level ?? 0;
}

function legend(story: CompactionStory, texts: Texts): Markup {
  const entry = (css: string, word: keyof Words) =>
    html`<span><i class="pwv-swatch ${css}"></i>${texts.format(word)}</span>`;
  const touched = story.read.length + story.moved.length;
  const before = filesOf(story.before).length;
  return html`<div class="pwv-legend" aria-hidden="true">
    ${story.read.length > 0 && html`<span>${texts.format('legendRibbon')}</span>`}
    ${story.moved.length > 0 && entry('pwv-middle pwv-dashed', 'legendMoved')}
    ${before > touched && entry('pwv-last pwv-faded', 'legendKept')}
  </div>`;
}

/** Return the file of a box, given its name, such as `before:3`. */
export function fileOfBox(
  story: CompactionStory,
  name: string
): FileValue | null {
  const [where, index] = name.split(':');
  const bucket = where === 'before' ? story.before : story.after;
  return filesOf(bucket)[Number(index)] ?? null;
}
