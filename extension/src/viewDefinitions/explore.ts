import {
  exploreView,
  type ExploreEvent,
  type ExploreValue
} from '../views/explore/view';
import type { ViewDefinition } from './definition';

/** The tree of a catalog and an open table; only for notebooks, because JupyterLab has the panel. */
export const EXPLORE: ViewDefinition<ExploreValue, ExploreEvent> = {
  name: 'explore',
  picture: {
    draw: exploreView,
    fromWidget: value => value as ExploreValue | null,
    snapshotOf: value =>
      (value as ExploreValue).open?.summary?.snapshot ?? null,
    // The tree expands and collapses without the kernel; everything else is read by the kernel.
    handleOffline: (still, event) =>
      event.kind === 'select-file' ? still : null
  }
};
