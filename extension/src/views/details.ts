import type {
  BucketValue,
  FileValue,
  RunValue,
  SnapshotValue
} from '../contract';
import { html, type Markup } from './markup';
import type { Texts } from './texts';

/** Values longer than this get a separate line. */
const LONG = 32;

/** A file with its position in the tree: run `number` of the `all` runs of its level. */
export interface LocatedFile {
  file: FileValue;
  number: number;
  all: number;
}

/** Return all facts of a file. */
export function fileDetails(
  { file, number, all }: LocatedFile,
  keyed: boolean,
  texts: Texts
): Markup {
  const run = texts.format('runNumber', { n: number, all: texts.count(all) });
  const level = keyed ? `L${file.level}, ${run}` : '';
  return facts([
    [texts.format('file'), html`<code>${file.name}</code>`],
    [texts.format('level'), level],
    [texts.format('rowsField'), texts.count(file.rows)],
    [
      texts.format('deletesField'),
      keyed ? optionalCount(file.deletes, texts) : ''
    ],
    [texts.format('size'), exactSize(file.size, texts)],
    [texts.format('keys'), keysText(file, texts)],
    [
      texts.format('sequence'),
      rangeText(
        texts.count(file.min_sequence),
        texts.count(file.max_sequence),
        texts
      )
    ],
    [
      texts.format('written'),
      file.time_millis === null ? '' : texts.zoned(file.time_millis)
    ]
  ]);
}

/** Return all facts of a snapshot. `newSchema` is whether its schema differs from that of the previous snapshot. */
export function snapshotDetails(
  snapshot: SnapshotValue,
  newSchema: boolean,
  texts: Texts
): Markup {
  const schema = newSchema
    ? `${snapshot.schema_id}, ${texts.format('schemaChanged')}`
    : snapshot.schema_id;
  const operation =
    snapshot.operation === snapshot.kind ? '' : snapshot.operation;
  return facts([
    [texts.format('snapshot'), snapshot.id],
    [texts.format('kind'), snapshot.kind],
    [texts.format('time'), texts.zoned(snapshot.time_millis)],
    [texts.format('changes'), changesText(snapshot, texts)],
    [texts.format('rowsTotal'), optionalCount(snapshot.rows_total, texts)],
    [
      texts.format('changelogRows'),
      snapshot.changelog_rows === null
        ? ''
        : texts.count(snapshot.changelog_rows)
    ],
    [texts.format('why'), reasonMarkup(snapshot)],
    [texts.format('operation'), operation],
    [
      texts.format('statement'),
      snapshot.statement && html`<code>${snapshot.statement}</code>`
    ],
    [texts.format('tags'), snapshot.tags.join(', ')],
    [texts.format('schema'), schema],
    [texts.format('writer'), snapshot.writer],
    [texts.format('user'), snapshot.user]
  ]);
}

/** Return why compactions ran; details of a summary are shown on demand. */
function reasonMarkup(snapshot: SnapshotValue): Markup | string {
  const { reason, reason_details: details = [] } = snapshot;
  return details.length === 0
    ? reason
    : html`<details>
        <summary>${reason}</summary>
        <ul>
          ${details.map(each => html`<li>${each}</li>`)}
        </ul>
      </details>`;
}

/** Return names and values side by side, omitting empty values. */
export function facts(entries: [string, Markup | string][]): Markup {
  return html`<dl class="pwv-facts">
    ${entries
      .filter(([, value]) => value !== '')
      .map(
        ([name, value]) =>
          html`<div class="${isLong(value) && 'pwv-wide'}">
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`
      )}
  </dl>`;
}

function isLong(value: Markup | string): boolean {
  return typeof value !== 'string' || value.length > LONG;
}

/** Return a size in a suitable unit and in bytes: `1.4 MiB (1,468,006 B)`. */
function exactSize(bytes: string, texts: Texts): string {
  const exact = texts.format('bytes', { n: BigInt(bytes) });
  const size = texts.size(bytes);
  return size === exact ? size : `${size} (${exact})`;
}

/** Return the keys of a file as `3 to 9`, or as a single key if both are equal; empty without keys. */
export function keysText(file: FileValue, texts: Texts): string {
  return file.min_key === null || file.max_key === null
    ? ''
    : rangeText(file.min_key, file.max_key, texts);
}

export function rangeText(from: string, to: string, texts: Texts): string {
  return from === to ? from : texts.format('range', { from, to });
}

export function optionalCount(value: string | null, texts: Texts): string {
  return value === null ? texts.format('notCounted') : texts.count(value);
}

/** Return what a commit changed, in one sentence. */
export function changesText(snapshot: SnapshotValue, texts: Texts): string {
  const { figures, rows_added: rows } = snapshot;
  if (figures) {
    return figures.text;
  }
  return rows === null
    ? texts.format('changesUnknown')
    : texts.format('changesStored', { n: rows, rows: texts.change(rows) });
}

/** Return the files of a bucket, keyed by name, each with its run and level. */
export function locatedFiles(
  bucket: BucketValue | null
): Map<string, LocatedFile> {
  const files = new Map<string, LocatedFile>();
  const levels = new Map<number, RunValue[]>();
  for (const run of bucket?.runs ?? []) {
    const level = levels.get(run.level) ?? [];
    level.push(run);
    levels.set(run.level, level);
  }
  for (const runs of levels.values()) {
    runs.forEach((run, index) => {
      for (const file of run.files) {
        files.set(file.name, { file, number: index + 1, all: runs.length });
      }
    });
  }
  return files;
}
