import type { ExplainValue } from '../contract';
import { pythonText } from '../copy';
import { partOf, type Part, type PartQuery } from '../page/parts';
import { explainView, type ExplainEvent } from '../views/explain/picture';
import type { ViewDefinition } from './definition';

const FILES_PAGE = 100;
const MOST_FILES = 1000;

/** The argument with the condition of the explained read; null for all rows. */
export const EXPLAINED = 'explained';

function requestOf({ arguments: given }: PartQuery) {
  const where = given[EXPLAINED] ?? '';
  // Run only the read that the user requested.
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

/** Return the argument value that requests to run a read. */
function runOf(where: string): string {
  return `where ${where}`;
}

function conditionOf(where: string | null | undefined): string {
  return where ? ` WHERE ${where.replace(/\s+/g, ' ')}` : '';
}

/** The explanation of a read. The button beside the row filter opens it. */
export const EXPLAIN: ViewDefinition<ExplainValue, ExplainEvent> = {
  name: 'explain',
  picture: {
    draw: explainView,
    fromWidget: value => value as ExplainValue | null,
    snapshotOf: value => (value as ExplainValue).snapshot,
    handleOffline: (still, event) =>
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
    fromPageState: state => partOf(state, PART).value,
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
        description: 'The condition of the read; null for all rows.'
      },
      excludedBy: {
        type: ['string', 'null'],
        description: 'The step whose excluded files are listed.'
      },
      excludedLimit: {
        type: ['string', 'null'],
        description: 'The maximum number of excluded files to list.'
      },
      explainedRun: {
        type: ['string', 'null'],
        description: 'The read to run and measure.'
      },
      explainedFooters: {
        type: ['string', 'null'],
        description: 'The read for which to read all file footers.'
      }
    }
  }
};
