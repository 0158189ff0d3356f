import type { BiographyField, BiographyValue } from '../../contract';
import { html, type Markup } from '../markup';
import { headRow, scrollRegion, table } from '../tables';
import type { Texts } from '../texts';
import { cell } from './facts';
import { readFrom } from './model';

/** Return a table of the columns, each with the versions that its value comes from. */
export function fieldTable(value: BiographyValue, texts: Texts): Markup {
  if (value.state !== 'present') {
    return html``;
  }
  const heads = [
    texts.format('biographyColumn'),
    texts.format('biographyValue'),
    texts.format('biographyWonBy'),
    texts.format('biographyOrigin'),
    texts.format('biographyRule'),
    texts.format('biographyWhy')
  ];
  const title = texts.format('biographyFields');
  return scrollRegion(
    title,
    html`<table class="pwv-fields">
      <caption>
        ${title}
      </caption>
      ${headRow(heads)}
      <tbody>
        ${value.fields.map((field, at) => fieldRow(field, at, texts))}
      </tbody>
    </table>`
  );
}

function fieldRow(field: BiographyField, at: number, texts: Texts): Markup {
  const read = readFrom(field);
  return html`<tr data-field="${at}">
    <th scope="row">${field.name}<small>${field.type}</small></th>
    <td>${cell(field.value)}</td>
    <td>${chips(read, `read:${at}`, texts)}</td>
    <td>${chips(field.origins, `origin:${at}`, texts)}</td>
    <td>${field.rule}</td>
    <td>${field.why}</td>
  </tr>`;
}

function chips(ids: readonly number[], name: string, texts: Texts): Markup {
  return html`<span class="pwv-chips"
    >${ids.map(
      id =>
        html`<button
          type="button"
          data-goto="${id}"
          data-focus="${name}:${id}"
          aria-label="${texts.format('biographyGoTo', { id: String(id) })}"
        >
          ${id}
        </button>`
    )}</span
  >`;
}

/** Return the versions, the commits and the changelog as tables. */
export function biographyTables(value: BiographyValue, texts: Texts): Markup {
  const names = value.fields.map(({ name }) => name);
  const versions = value.versions.map(each => [
    String(each.id),
    each.kind,
    each.sequence ?? '',
    each.commit ?? '',
    each.partition,
    String(each.bucket),
    each.stays.map(({ lane }) => `L${value.lanes[lane].level}`).join(' → '),
    each.source,
    each.state,
    each.inputs.join(', '),
    each.marked ?? '',
    each.file,
    ...each.values.map(cell)
  ]);
  const commits = value.commits.map(each => [
    each.id,
    each.kind,
    texts.time(each.time_millis),
    each.text,
    each.reason,
    each.statement,
    each.user
  ]);
  const logged = value.changelog.map(each => [
    each.snapshot,
    each.kind,
    each.sequence ?? '',
    ...each.values.map(cell)
  ]);
  return html`${table(
    texts.format('biographyVersions'),
    [
      texts.format('biographyVersion'),
      texts.format('kind'),
      texts.format('sequence'),
      texts.format('snapshot'),
      texts.format('partition'),
      texts.format('bucket'),
      texts.format('level'),
      texts.format('biographySource'),
      texts.format('biographyState'),
      texts.format('biographyMergedFrom'),
      texts.format('biographyMarkedBy'),
      texts.format('file'),
      ...names
    ],
    versions
  )}${table(
    texts.format('biographyCommitsTitle'),
    [
      texts.format('snapshot'),
      texts.format('kind'),
      `${texts.format('time')} (${texts.zone})`,
      texts.format('biographyDid'),
      texts.format('why'),
      texts.format('statement'),
      texts.format('user')
    ],
    commits
  )}${
    logged.length > 0 &&
    table(
      texts.format('biographyChangelog'),
      [
        texts.format('snapshot'),
        texts.format('kind'),
        texts.format('sequence'),
        ...names
      ],
      logged
    )
  }`;
}
