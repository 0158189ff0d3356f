import {
  exploreView,
  type ExploreEvent,
  type ExploreValue
} from '../views/explore/view';
import type { ViewDefinition } from './definition';

/** The tree of a catalog and an open table; notebooks only, for the panel is this tree in JupyterLab. */
export const EXPLORE: ViewDefinition<ExploreValue, ExploreEvent> = {
  name: 'explore',
  picture: {
    draw: exploreView,
    ofWidget: value => value as ExploreValue | null,
    snapshotOf: value =>
      (value as ExploreValue).open?.summary?.snapshot ?? null,
    // The tree opens and closes by itself; everything else is read by the kernel.
    offline: (still, event) => (event.kind === 'select-file' ? still : null)
  }
};
