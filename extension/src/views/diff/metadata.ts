import type {
  DiffValue,
  FilesDiffValue,
  LevelFilesValue
} from '../../contract';
import { html, type Markup } from '../markup';
import { plainTable, scrollRegion } from '../tables';
import type { Texts } from '../texts';

const MOST_LEVELS = 200;

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
  const rows = levels
    .slice(0, MOST_LEVELS)
    .map(level => levelCells(level, texts));
  return html`<p>${summary}</p>
    ${scrollRegion(texts.say('diffFiles'), plainTable(null, heads, rows), 'pwv-diff-list')}
    ${more > 0 && html`<p class="pwv-dim">${texts.say('diffMoreBuckets', { n: more })}</p>`}`;
}

function levelCells(
  { partition, bucket, level, files }: LevelFilesValue,
  texts: Texts
): string[] {
  const name = texts.say('bucketName', { id: String(bucket) });
  return [
    partition === '' ? name : `${partition}, ${name}`,
    `L${level}`,
    `+${texts.count(files.added)}`,
    texts.size(files.added_bytes),
    `−${texts.count(files.removed)}`,
    texts.size(files.removed_bytes),
    texts.count(files.kept),
    texts.count(files.upgraded)
  ];
}
