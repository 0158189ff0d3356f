import { Overview } from '../page/Overview';
import { SUMMARY, type Part } from '../page/parts';
import type { ViewDefinition } from './definition';

/** A version of a table at a glance. */
export const OVERVIEW: ViewDefinition = {
  name: 'overview',
  tab: {
    title: trans => trans.__('Overview'),
    part: SUMMARY as Part,
    Pane: Overview
  }
};
