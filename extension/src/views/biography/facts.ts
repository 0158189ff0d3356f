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
    [texts.say('biographyVersion'), `${version.id} (${version.kind})`],
    [texts.say('biographySource'), sourceText(version, texts)],
    [texts.say('biographyState'), stateText(version, texts)],
    [texts.say('biographySequence'), version.sequence ?? ''],
    [texts.say('snapshot'), version.commit ?? texts.say('biographyByExpired')],
    [texts.say('time'), commit ? texts.zoned(commit.time_millis) : ''],
    [texts.say('statement'), code(commit?.statement ?? '')],
    [texts.say('biographyCell'), commit?.cell ?? ''],
    [texts.say('biographyMergedFrom'), list(version.inputs)],
    [texts.say('biographyLookedUp'), list(version.looked_up)],
    [texts.say('biographyMergedInto'), list(version.into)],
    [texts.say('biographyMarkedBy'), version.marked ?? ''],
    [texts.say('biographyDroppedBy'), version.dropped ?? ''],
    [texts.say('biographyLevels'), levelsText(version, value)],
    [texts.say('schema'), version.schema_id],
    [texts.say('biographyPosition'), texts.count(version.position)],
    [texts.say('biographyFile'), html`<code>${version.file}</code>`],
    [texts.say('biographyValue'), valuesOf(version, value, texts)]
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
                >${texts.say('biographyAbsent')}</span
              >`
            : cell(version.values[at])
        }`
  )}`;
}

/** Return all facts of a commit. */
export function commitFacts(commit: BiographyCommit, texts: Texts): Markup {
  return facts([
    [texts.say('snapshot'), commit.id],
    [texts.say('kind'), commit.kind],
    [texts.say('time'), texts.zoned(commit.time_millis)],
    [texts.say('biographyDid'), html`${commit.text}`],
    [texts.say('why'), commit.reason],
    [texts.say('statement'), code(commit.statement)],
    [texts.say('biographyCell'), commit.cell],
    [texts.say('tags'), commit.tags.join(', ')],
    [texts.say('expired'), commit.expired ? texts.say('expired') : ''],
    [texts.say('writer'), commit.writer],
    [texts.say('user'), commit.user]
  ]);
}

/** Return a value of a row; NULL differs from a text. */
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
