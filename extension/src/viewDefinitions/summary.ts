import type { SummaryValue } from '../contract';
import { summaryView, type SummaryEvent } from '../views/summary/view';
import type { ViewDefinition } from './definition';

/** A version of a table at a glance; only for notebooks, because table pages show it in the overview. */
export const SUMMARY: ViewDefinition<SummaryValue, SummaryEvent> = {
  name: 'summary',
  picture: {
    draw: summaryView,
    fromWidget: value => value as SummaryValue | null,
    snapshotOf: value => (value as SummaryValue).snapshot,
    // Only the kernel can count rows.
    handleOffline: () => null
  }
};
