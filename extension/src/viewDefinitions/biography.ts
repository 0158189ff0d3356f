import type { BiographyValue } from '../contract';
import { partOf, type Part, type ViewArguments } from '../page/parts';
import { biographyView, type BiographyEvent } from '../views/biography/picture';
import type { ViewDefinition } from './definition';

/** The row of the page: its key as a JSON object of texts. */
const PART: Part<BiographyValue> = {
  name: 'biography',
  perVersion: true,
  takes: ['row'],
  read: (read, { table, version, arguments: { row } }) =>
    read('biography', { ...table, ...version, key: row }),
  more(read, { table, version, arguments: { row } }, shown) {
    return shown.complete
      ? null
      : read('biography', { ...table, ...version, key: row });
  }
};

/** Return the argument of the tab for a row. */
export function rowArguments(
  key: Readonly<Record<string, string>>
): ViewArguments {
  return { row: JSON.stringify(key) };
}

/** Return a word of a line magic, quoted as a shell quotes it if necessary. */
function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text)
    ? text
    : `'${text.replace(/'/g, `'"'"'`)}'`;
}

/** Return the words of a key: `region=eu id=50`. */
function words(row: string | null | undefined): string {
  const key = JSON.parse(row ?? '{}') as Record<string, string>;
  return Object.entries(key)
    .map(([name, text]) => word(`${name}=${text}`))
    .join(' ');
}

/** The life of one row. */
export const BIOGRAPHY: ViewDefinition<BiographyValue, BiographyEvent> = {
  name: 'biography',
  picture: {
    draw: biographyView,
    ofWidget: value => value as BiographyValue | null,
    snapshotOf: value => (value as BiographyValue).snapshot,
    offline: (still, event) =>
      event.kind === 'select-version' ? { ...still, selected: event.id } : null
  },
  tab: {
    title: trans => trans.__('Biography'),
    part: PART as Part,
    python: (table, { arguments: { row } }) =>
      `wb.biography(${table}, ${row ?? '{}'})`,
    cell: (table, { arguments: { row } }) =>
      `%paimon biography ${table} ${words(row)}`,
    ofPage: state => partOf(state, PART).value,
    onEvent: (event, model) => {
      if (event.kind === 'show-row') {
        model.setArguments(rowArguments(event.key));
      } else if (event.kind === 'read-on') {
        void model.more(PART);
      }
    },
    arguments: {
      row: {
        type: ['string', 'null'],
        description: 'The key of a row as a JSON object of texts.'
      }
    },
    listedWhenOpen: true
  }
};
