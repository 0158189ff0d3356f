import { Overview } from '../page/Overview';
import {
  COLUMNS,
  COUNT,
  ESTIMATE,
  LIVE_FILES,
  ROWS,
  SUMMARY,
  type Part
} from '../page/parts';
import type { ViewDefinition } from './definition';

/** A version of a table at a glance: its condition, its rows and its details. */
export const OVERVIEW: ViewDefinition = {
  name: 'overview',
  tab: {
    title: trans => trans.__('Overview'),
    part: SUMMARY as Part,
    others: [ROWS, COLUMNS, LIVE_FILES] as Part[],
    onDemand: [ESTIMATE, COUNT] as Part[],
    Pane: Overview,
    arguments: {
      where: { type: ['string', 'null'], description: 'A filter for the rows.' }
    }
  }
};
