import type { BiographyValue } from '../contract';
import { pythonText } from '../copy';
import {
  partOf,
  SUMMARY,
  type Part,
  type PartQuery,
  type ViewArguments
} from '../page/parts';
import {
  biographyView,
  shownOf,
  type BiographyEvent,
  type BiographyShown
} from '../views/biography/picture';
import type { ViewDefinition } from './definition';

/**
 * The biography of the page's row, which is given by its key as a JSON object of strings, or by a condition that
 * selects it; null if neither is given.
 */
const PART: Part<BiographyValue | null> = {
  name: 'biography',
  perVersion: true,
  takes: ['row', 'rowWhere'],
  read: async (read, query) =>
    isAsked(query.arguments) ? read('biography', requestOf(query)) : null,
  more: (read, query, shown) =>
    shown === null || shown.complete
      ? null
      : read('biography', requestOf(query))
};

function isAsked({ row, rowWhere }: ViewArguments): boolean {
  return Boolean(row ?? rowWhere);
}

function requestOf({
  table,
  version,
  arguments: { row, rowWhere }
}: PartQuery) {
  return { ...table, ...version, key: row, where: rowWhere };
}

/** Return the arguments with which the tab shows a row. */
export function rowArguments(
  key: Readonly<Record<string, string>>
): ViewArguments {
  return { row: JSON.stringify(key), rowWhere: null };
}

/** Return a word of a line magic, with shell quotes if necessary. */
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

/** The biography of one row. */
export const BIOGRAPHY: ViewDefinition<BiographyShown, BiographyEvent> = {
  name: 'biography',
  picture: {
    draw: biographyView,
    fromWidget: value => (value ? shownOf(value as BiographyValue) : null),
    snapshotOf: value => (value as BiographyValue).snapshot,
    handleOffline: (still, event) =>
      event.kind === 'select-version' ? { ...still, selected: event.id } : null
  },
  tab: {
    title: trans => trans.__('Biography'),
    part: PART as Part,
    hasCode: state => isAsked(state.arguments),
    python: (table, { arguments: { row, rowWhere } }) =>
      rowWhere
        ? `wb.biography(${table}, where=${pythonText(rowWhere)})`
        : `wb.biography(${table}, ${row ?? '{}'})`,
    cell: (table, { arguments: { row, rowWhere } }) =>
      rowWhere
        ? `%paimon biography ${table} WHERE ${word(rowWhere.replace(/\s+/g, ' '))}`
        : `%paimon biography ${table} ${words(row)}`,
    showsErrors: true,
    fromPageState: state => {
      const { status, value, error } = partOf(state, PART);
      const summary = partOf(state, SUMMARY);
      const { row = null, rowWhere = null } = state.arguments;
      const table = summary.value;
      const problem = error ?? summary.error;
      return table || problem
        ? {
            value,
            table,
            row,
            where: rowWhere,
            isReading: status === 'loading' && isAsked(state.arguments),
            error: problem
          }
        : null;
    },
    onEvent: (event, model) => {
      if (event.kind === 'show-row') {
        model.setArguments(rowArguments(event.key));
      } else if (event.kind === 'find-row') {
        model.setArguments({ row: null, rowWhere: event.where });
      } else if (event.kind === 'read-on') {
        void model.more(PART);
      }
    },
    arguments: {
      row: {
        type: ['string', 'null'],
        description: 'The key of a row as a JSON object of strings.'
      },
      rowWhere: {
        type: ['string', 'null'],
        description: 'The condition that selects a row.'
      }
    },
    listedWhenOpen: true
  }
};
