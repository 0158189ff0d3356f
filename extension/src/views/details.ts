import type {
  BucketValue,
  FileValue,
  RunValue,
  SnapshotValue
} from '../contract';
import { html, type Markup } from './markup';
import type { Texts } from './texts';

/** Longer values get their own line. */
const LONG = 32;

/** A file with its position in the tree: run `number` of `all` runs of its level. */
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
  const run = texts.say('runNumber', { n: number, all: texts.count(all) });
  const level = keyed ? `L${file.level}, ${run}` : '';
  return facts([
    [texts.say('file'), html`<code>${file.name}</code>`],
    [texts.say('level'), level],
    [texts.say('rowsField'), texts.count(file.rows)],
    [
      texts.say('deletesField'),
      keyed ? optionalCount(file.deletes, texts) : ''
    ],
    [texts.say('size'), exactSize(file.size, texts)],
    [texts.say('keys'), keysText(file, texts)],
    [
      texts.say('sequence'),
      rangeText(
        texts.count(file.min_sequence),
        texts.count(file.max_sequence),
        texts
      )
    ],
    [
      texts.say('written'),
      file.time_millis === null ? '' : texts.zoned(file.time_millis)
    ]
  ]);
}

/** Return all facts of a snapshot. `newSchema`: its schema differs from that of the previous snapshot. */
export function snapshotDetails(
  snapshot: SnapshotValue,
  newSchema: boolean,
  texts: Texts
): Markup {
  const schema = newSchema
    ? `${snapshot.schema_id}, ${texts.say('schemaChanged')}`
    : snapshot.schema_id;
  const operation =
    snapshot.operation === snapshot.kind ? '' : snapshot.operation;
  return facts([
    [texts.say('snapshot'), snapshot.id],
    [texts.say('kind'), snapshot.kind],
    [texts.say('time'), texts.zoned(snapshot.time_millis)],
    [texts.say('changes'), changesText(snapshot, texts)],
    [texts.say('rowsTotal'), optionalCount(snapshot.rows_total, texts)],
    [
      texts.say('changelogRows'),
      snapshot.changelog_rows === null
        ? ''
        : texts.count(snapshot.changelog_rows)
    ],
    [texts.say('why'), reasonMarkup(snapshot)],
    [texts.say('operation'), operation],
    [
      texts.say('statement'),
      snapshot.statement && html`<code>${snapshot.statement}</code>`
    ],
    [texts.say('tags'), snapshot.tags.join(', ')],
    [texts.say('schema'), schema],
    [texts.say('writer'), snapshot.writer],
    [texts.say('user'), snapshot.user]
  ]);
}

/** Return why compactions ran; what was summed up is shown on demand. */
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

/** Return names and values side by side, without those that have no value. */
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
  const exact = texts.say('bytes', { n: BigInt(bytes) });
  const size = texts.size(bytes);
  return size === exact ? size : `${size} (${exact})`;
}

/** Return `3 to 9`, or a single key if both are equal; empty without keys. */
export function keysText(file: FileValue, texts: Texts): string {
  return file.min_key === null || file.max_key === null
    ? ''
    : rangeText(file.min_key, file.max_key, texts);
}

export function rangeText(from: string, to: string, texts: Texts): string {
  return from === to ? from : texts.say('range', { from, to });
}

export function optionalCount(value: string | null, texts: Texts): string {
  return value === null ? texts.say('notCounted') : texts.count(value);
}

/** Return what a commit changed, in one sentence. */
export function changesText({ figures }: SnapshotValue, texts: Texts): string {
  return figures === null ? texts.say('changesUnknown') : figures.text;
}

/** Return files by name, each with its run and level. */
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
