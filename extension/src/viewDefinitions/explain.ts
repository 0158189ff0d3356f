import type { ExplainValue } from '../contract';
import { pythonText } from '../copy';
import { partOf, type Part, type PartQuery } from '../page/parts';
import { explainView, type ExplainEvent } from '../views/explain/picture';
import type { ViewDefinition } from './definition';

const FILES_PAGE = 100;
const MOST_FILES = 1000;

/** The argument that says which read a page explains: its condition, null for all rows. */
export const EXPLAINED = 'explained';

function requestOf({ arguments: given }: PartQuery) {
  const where = given[EXPLAINED] ?? '';
  // Only the read that the user asked to run is run.
  const run = given.explainedRun === runOf(where) || undefined;
  const footers = given.explainedFooters === runOf(where) || undefined;
  const limit = Number(given.excludedLimit ?? 0) || undefined;
  return { where, run, footers, step: given.excludedBy, limit };
}

const PART: Part<ExplainValue> = {
  name: 'explain',
  perVersion: true,
  read: (read, query) =>
    read('explain', { ...query.table, ...query.version, ...requestOf(query) })
};

/** Return the value of the argument that asks to run a read. */
function runOf(where: string): string {
  return `where ${where}`;
}

function conditionOf(where: string | null | undefined): string {
  return where ? ` WHERE ${where.replace(/\s+/g, ' ')}` : '';
}

/** A read explained. The button beside the filter of the data opens it. */
export const EXPLAIN: ViewDefinition<ExplainValue, ExplainEvent> = {
  name: 'explain',
  picture: {
    draw: explainView,
    ofWidget: value => value as ExplainValue | null,
    snapshotOf: value => (value as ExplainValue).snapshot,
    offline: (still, event) =>
      event.kind === 'select-step' ? { ...still, selected: event.name } : null
  },
  tab: {
    title: trans => trans.__('Explain'),
    part: PART as Part,
    listedWhenOpen: true,
    python: (table, { arguments: given }) => {
      const where = given[EXPLAINED];
      return `wb.explain(${table}${where ? `, ${pythonText(where)}` : ''})`;
    },
    cell: (table, { arguments: given }) =>
      `%paimon explain ${table}${conditionOf(given[EXPLAINED])}`,
    ofPage: state => partOf(state, PART).value,
    onEvent: (event, model) => {
      const given = model.store.state.arguments;
      const asked = runOf(given[EXPLAINED] ?? '');
      if (event.kind === 'more-files') {
        const shown =
          given.excludedBy === event.name ? Number(given.excludedLimit) : 0;
        const limit = Math.min(MOST_FILES, shown + FILES_PAGE);
        model.setArguments({
          excludedBy: event.name,
          excludedLimit: String(limit)
        });
      } else if (event.kind === 'run') {
        model.setArguments({ explainedRun: asked });
      } else if (event.kind === 'all-footers') {
        model.setArguments({ explainedFooters: asked });
      }
    },
    arguments: {
      [EXPLAINED]: {
        type: ['string', 'null'],
        description: 'The condition of the rows that are read.'
      },
      excludedBy: { type: ['string', 'null'], description: 'A step.' },
      excludedLimit: {
        type: ['string', 'null'],
        description: 'The number of files of the step that are listed.'
      },
      explainedRun: {
        type: ['string', 'null'],
        description: 'The read that is run and measured.'
      },
      explainedFooters: {
        type: ['string', 'null'],
        description: 'The read for which all footers are read.'
      }
    }
  }
};
