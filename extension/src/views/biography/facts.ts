import type {
  BiographyCommit,
  BiographyValue,
  BiographyVersion
} from '../../contract';
import { facts } from '../details';
import { html, type Markup } from '../markup';
import type { Texts } from '../texts';
import { commitOf, levelsText, sourceText, stateText } from './model';

/** Return all facts of a version, and its values. */
export function versionFacts(
  version: BiographyVersion,
  value: BiographyValue,
  texts: Texts
): Markup {
  const commit = commitOf(value, version.commit);
  return html`${facts([
    [texts.format('biographyVersion'), `${version.id} (${version.kind})`],
    [texts.format('biographySource'), sourceText(version, texts)],
    [texts.format('biographyState'), stateText(version, texts)],
    [texts.format('biographySequence'), version.sequence ?? ''],
    [
      texts.format('snapshot'),
      version.commit ?? texts.format('biographyByExpired')
    ],
    [texts.format('time'), commit ? texts.zoned(commit.time_millis) : ''],
    [texts.format('statement'), code(commit?.statement ?? '')],
    [texts.format('biographyCell'), commit?.cell ?? ''],
    [texts.format('biographyMergedFrom'), list(version.inputs)],
    [texts.format('biographyLookedUp'), list(version.looked_up)],
    [texts.format('biographyMergedInto'), list(version.into)],
    [texts.format('biographyMarkedBy'), version.marked ?? ''],
    [texts.format('biographyDroppedBy'), version.dropped ?? ''],
    [texts.format('biographyLevels'), levelsText(version, value)],
    [texts.format('schema'), version.schema_id],
    [texts.format('biographyPosition'), texts.count(version.position)],
    [texts.format('biographyFile'), html`<code>${version.file}</code>`],
    [texts.format('biographyValue'), valuesOf(version, value, texts)]
  ])}`;
}

function valuesOf(
  version: BiographyVersion,
  value: BiographyValue,
  texts: Texts
): Markup {
  const absent = new Set(version.absent);
  return html`${value.fields.map(
    ({ name }, at) =>
      html`${at > 0 && ', '}<b>${name}</b> =
        ${
          absent.has(at)
            ? html`<span class="pwv-null"
                >${texts.format('biographyAbsent')}</span
              >`
            : cell(version.values[at])
        }`
  )}`;
}

/** Return all facts of a commit. */
export function commitFacts(commit: BiographyCommit, texts: Texts): Markup {
  return facts([
    [texts.format('snapshot'), commit.id],
    [texts.format('kind'), commit.kind],
    [texts.format('time'), texts.zoned(commit.time_millis)],
    [texts.format('biographyDid'), html`${commit.text}`],
    [texts.format('why'), commit.reason],
    [texts.format('statement'), code(commit.statement)],
    [texts.format('biographyCell'), commit.cell],
    [texts.format('tags'), commit.tags.join(', ')],
    [texts.format('expired'), commit.expired ? texts.format('expired') : ''],
    [texts.format('writer'), commit.writer],
    [texts.format('user'), commit.user]
  ]);
}

/** Return a value of a row; NULL looks different from the text 'NULL'. */
export function cell(text: string | null): Markup {
  return text === null
    ? html`<span class="pwv-null">NULL</span>`
    : html`${text}`;
}

function code(text: string): Markup | string {
  return text && html`<code>${text}</code>`;
}

function list(ids: readonly number[]): string {
  return ids.join(', ');
}
