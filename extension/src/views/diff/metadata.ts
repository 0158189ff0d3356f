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
      html`<h4>${texts.format('diffSchema')}</h4>
        <ul>
          ${schema.map(({ text }) => html`<li>${text}</li>`)}
        </ul>`
    }
    ${
      files !== null &&
      html`<h4>${texts.format('diffFiles')}</h4>
        ${filesMarkup(files, texts)}`
    }
    ${
      refs.length > 0 &&
      html`<h4>${texts.format('diffRefs')}</h4>
        <ul>
          ${refs.map(
            ({ kind, name, snapshot }) =>
              html`<li>
                ${texts.format(kind === 'tag' ? 'diffTag' : 'diffBranch', { name, id: snapshot })}
              </li>`
          )}
        </ul>`
    }
  </div>`;
}

function filesMarkup(files: FilesDiffValue, texts: Texts): Markup {
  const { total, levels, buckets, buckets_shown } = files;
  if (levels.length === 0) {
    return html`<p>${texts.format('diffNoFiles')}</p>`;
  }
  const summary = texts.format('diffFilesSummary', {
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
    texts.format('bucket'),
    texts.format('level'),
    texts.format('diffAdded'),
    texts.format('size'),
    texts.format('diffRemoved'),
    texts.format('size'),
    texts.format('diffKept'),
    texts.format('diffUpgraded')
  ];
  const rows = levels
    .slice(0, MOST_LEVELS)
    .map(level => levelCells(level, texts));
  return html`<p>${summary}</p>
    ${scrollRegion(texts.format('diffFiles'), plainTable(null, heads, rows), 'pwv-diff-list')}
    ${more > 0 && html`<p class="pwv-dim">${texts.format('diffMoreBuckets', { n: more })}</p>`}`;
}

function levelCells(
  { partition, bucket, level, files }: LevelFilesValue,
  texts: Texts
): string[] {
  const name = texts.format('bucketName', { id: String(bucket) });
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
