import type {
  DiffValue,
  FilesDiffValue,
  LevelFilesValue
} from '../../contract';
import { html, type Markup } from '../markup';
import type { Texts } from '../texts';

/** Return the differences of columns, options, files, tags and branches. */
export function metadataMarkup(value: DiffValue, texts: Texts): Markup {
  const { schema, files, refs } = value;
  return html`<div class="pwv-diff-meta">
    ${
      schema.length > 0 &&
      html`<h4>${texts.say('diffSchema')}</h4>
        <ul>
          ${schema.map(({ text }) => html`<li>${text}</li>`)}
        </ul>`
    }
    ${
      files !== null &&
      html`<h4>${texts.say('diffFiles')}</h4>
        ${filesMarkup(files, texts)}`
    }
    ${
      refs.length > 0 &&
      html`<h4>${texts.say('diffRefs')}</h4>
        <ul>
          ${refs.map(
            ({ kind, name, snapshot }) =>
              html`<li>
                ${texts.say(kind === 'tag' ? 'diffTag' : 'diffBranch', { name, id: snapshot })}
              </li>`
          )}
        </ul>`
    }
  </div>`;
}

function filesMarkup(files: FilesDiffValue, texts: Texts): Markup {
  const { total, levels, buckets, buckets_shown } = files;
  if (levels.length === 0) {
    return html`<p>${texts.say('diffNoFiles')}</p>`;
  }
  const summary = texts.say('diffFilesSummary', {
    added: texts.count(total.added),
    addedSize: texts.size(total.added_bytes),
    removed: texts.count(total.removed),
    removedSize: texts.size(total.removed_bytes),
    kept: texts.count(total.kept),
    keptSize: texts.size(total.kept_bytes),
    upgraded: texts.count(total.upgraded)
  });
  const more = buckets - buckets_shown;
  const heads = [
    texts.say('bucket'),
    texts.say('level'),
    texts.say('diffAdded'),
    texts.say('size'),
    texts.say('diffRemoved'),
    texts.say('size'),
    texts.say('diffKept'),
    texts.say('diffUpgraded')
  ];
  return html`<p>${summary}</p>
    <div
      class="pwv-scroll pwv-diff-list"
      tabindex="0"
      role="region"
      aria-label="${texts.say('diffFiles')}"
    >
      <table>
        <thead>
          <tr>
            ${heads.map(head => html`<th scope="col">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${levels.slice(0, 200).map(level => levelMarkup(level, texts))}
        </tbody>
      </table>
    </div>
    ${more > 0 && html`<p class="pwv-dim">${texts.say('diffMoreBuckets', { n: more })}</p>`}`;
}

function levelMarkup(
  { partition, bucket, level, files }: LevelFilesValue,
  texts: Texts
): Markup {
  const name = texts.say('bucketName', { id: String(bucket) });
  const cells = [
    partition === '' ? name : `${partition}, ${name}`,
    `L${level}`,
    `+${texts.count(files.added)}`,
    texts.size(files.added_bytes),
    `−${texts.count(files.removed)}`,
    texts.size(files.removed_bytes),
    texts.count(files.kept),
    texts.count(files.upgraded)
  ];
  return html`<tr>
    ${cells.map(cell => html`<td>${cell}</td>`)}
  </tr>`;
}
