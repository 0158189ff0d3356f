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

/** Return the timeline as tables: snapshots, newest first, and tags. */
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
    texts.format('partition'),
    texts.format('bucket'),
    ...(keyed ? [texts.format('runsField')] : []),
    texts.format('filesField'),
    texts.format('rowsField'),
    texts.format('deletesField'),
    texts.format('size')
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
  return table(texts.format('bucketsTitle'), heads, rows);
}

function fileTable(
  files: readonly { file: FileValue; run: number }[],
  keyed: boolean,
  texts: Texts
): Markup {
  const heads = [
    ...(keyed ? [texts.format('run'), texts.format('level')] : []),
    texts.format('file'),
    texts.format('rowsField'),
    texts.format('deletesField'),
    texts.format('size'),
    ...(keyed
      ? [texts.format('smallestKey'), texts.format('greatestKey')]
      : []),
    texts.format('sequence'),
    `${texts.format('written')} (${texts.zone})`
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
  return table(texts.format('filesField'), heads, rows);
}

function snapshotTable(
  snapshots: readonly SnapshotValue[],
  texts: Texts
): Markup {
  const heads = [
    texts.format('snapshot'),
    texts.format('kind'),
    `${texts.format('time')} (${texts.zone})`,
    texts.format('changes'),
    texts.format('rowsTotal'),
    texts.format('changelogRows'),
    texts.format('why'),
    texts.format('statement'),
    texts.format('tags'),
    texts.format('schema'),
    texts.format('writer'),
    texts.format('user')
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
  return table(texts.format('timelineSection'), heads, rows);
}

function tagTable(value: TimelineValue, texts: Texts): Markup {
  const heads = [
    texts.format('tag'),
    texts.format('snapshot'),
    `${texts.format('time')} (${texts.zone})`,
    texts.format('expired')
  ];
  const rows = value.tags.map(tag => [
    tag.name,
    tag.snapshot,
    tag.time_millis === null ? '' : texts.time(tag.time_millis),
    tag.expired ? texts.format('expired') : ''
  ]);
  return table(texts.format('tags'), heads, rows);
}

/** Return a table in a region that can be scrolled by keyboard. */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly Part[])[]
): Markup {
  return scrollRegion(caption, plainTable(caption, heads, rows));
}

/** Return content in a region that is focusable, so that it can be scrolled by keyboard. */
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

/** Return a table, with a caption unless the text above the table already says the same. */
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
