import type {
  BucketTotalsValue,
  FileValue,
  LevelsValue,
  SnapshotValue,
  TimelineValue
} from '../contract';
import { changesText, optionalCount } from './details';
import { html, type Markup, type Part } from './markup';
import type { Texts } from './texts';

/** Return the levels as tables: the buckets, and the files of the shown bucket. */
export function levelsTable(value: LevelsValue, texts: Texts): Markup {
  const { bucket, keys } = value;
  const keyed = keys.length > 0;
  const files = (bucket?.runs ?? []).flatMap((run, index) =>
    run.files.map(file => ({ file, run: index + 1 }))
  );
  return html`${
    value.buckets.length > 1 && bucketTable(value.buckets, keyed, texts)
  }${fileTable(files, keyed, texts)}`;
}

/** Return the timeline as tables: snapshots, the newest first, and tags. */
export function timelineTable(value: TimelineValue, texts: Texts): Markup {
  return html`${snapshotTable(value.snapshots, texts)}${
    value.tags.length > 0 && tagTable(value, texts)
  }`;
}

function bucketTable(
  buckets: readonly BucketTotalsValue[],
  keyed: boolean,
  texts: Texts
): Markup {
  const heads = [
    texts.say('partition'),
    texts.say('bucket'),
    ...(keyed ? [texts.say('runsField')] : []),
    texts.say('filesField'),
    texts.say('rowsField'),
    texts.say('deletesField'),
    texts.say('size')
  ];
  const rows = buckets.map(item => [
    item.partition,
    String(item.bucket),
    ...(keyed ? [texts.count(item.runs)] : []),
    texts.count(item.files),
    texts.count(item.rows),
    optionalCount(item.deletes, texts),
    texts.size(item.size)
  ]);
  return table(texts.say('bucketsTitle'), heads, rows);
}

function fileTable(
  files: readonly { file: FileValue; run: number }[],
  keyed: boolean,
  texts: Texts
): Markup {
  const heads = [
    ...(keyed ? [texts.say('run'), texts.say('level')] : []),
    texts.say('file'),
    texts.say('rowsField'),
    texts.say('deletesField'),
    texts.say('size'),
    ...(keyed ? [texts.say('smallestKey'), texts.say('greatestKey')] : []),
    texts.say('sequence'),
    `${texts.say('written')} (${texts.zone})`
  ];
  const rows = files.map(({ file, run }) => [
    ...(keyed ? [texts.count(run), `L${file.level}`] : []),
    file.name,
    texts.count(file.rows),
    optionalCount(file.deletes, texts),
    texts.size(file.size),
    ...(keyed ? [file.min_key ?? '', file.max_key ?? ''] : []),
    `${texts.count(file.min_sequence)}–${texts.count(file.max_sequence)}`,
    file.time_millis === null ? '' : texts.time(file.time_millis)
  ]);
  return table(texts.say('filesField'), heads, rows);
}

function snapshotTable(
  snapshots: readonly SnapshotValue[],
  texts: Texts
): Markup {
  const heads = [
    texts.say('snapshot'),
    texts.say('kind'),
    `${texts.say('time')} (${texts.zone})`,
    texts.say('changes'),
    texts.say('rowsTotal'),
    texts.say('changelogRows'),
    texts.say('why'),
    texts.say('statement'),
    texts.say('tags'),
    texts.say('schema'),
    texts.say('writer'),
    texts.say('user')
  ];
  const rows = snapshots.map(item => [
    item.id,
    item.kind,
    texts.time(item.time_millis),
    changesText(item, texts),
    optionalCount(item.rows_total, texts),
    item.changelog_rows === null ? '' : texts.count(item.changelog_rows),
    item.reason,
    item.statement,
    item.tags.join(', '),
    item.schema_id,
    item.writer,
    item.user
  ]);
  return table(texts.say('timelineSection'), heads, rows);
}

function tagTable(value: TimelineValue, texts: Texts): Markup {
  const heads = [
    texts.say('tag'),
    texts.say('snapshot'),
    `${texts.say('time')} (${texts.zone})`,
    texts.say('expired')
  ];
  const rows = value.tags.map(tag => [
    tag.name,
    tag.snapshot,
    tag.time_millis === null ? '' : texts.time(tag.time_millis),
    tag.expired ? texts.say('expired') : ''
  ]);
  return table(texts.say('tags'), heads, rows);
}

/** Return a table in a region that the keyboard can scroll. */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly Part[])[]
): Markup {
  return scrollRegion(caption, plainTable(caption, heads, rows));
}

/** Return content in a region that is focusable, so that the keyboard can scroll it. */
export function scrollRegion(label: string, content: Markup, css = ''): Markup {
  return html`<div
    class="pwv-scroll${css && ` ${css}`}"
    tabindex="0"
    role="region"
    aria-label="${label}"
  >
    ${content}
  </div>`;
}

/** Return the head of a table. */
export function headRow(heads: readonly string[]): Markup {
  return html`<thead>
    <tr>
      ${heads.map(head => html`<th scope="col">${head}</th>`)}
    </tr>
  </thead>`;
}

/** Return a table, with a caption unless the text above it says the same. */
export function plainTable(
  caption: string | null,
  heads: readonly string[],
  rows: readonly (readonly Part[])[]
): Markup {
  return html`<table>
    ${
      caption !== null &&
      html`<caption>
        ${caption}
      </caption>`
    }
    ${headRow(heads)}
    <tbody>
      ${rows.map(
        row =>
          html`<tr>
            ${row.map(cell => html`<td>${cell}</td>`)}
          </tr>`
      )}
    </tbody>
  </table>`;
}
