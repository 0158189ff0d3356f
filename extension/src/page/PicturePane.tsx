import * as React from 'react';
import { endMeasure } from '../measure';
import { useStore } from '../react';
import { isLost } from '../state/loaded';
import type { TabView } from '../viewDefinitions/definition';
import type { PageProps } from './context';
import { DAMAGED } from './damage';
import { partOf, TIMELINE } from './parts';
import { Failure, Waiting } from './states';
import { ViewActions } from './ViewActions';
import { ViewHost } from './ViewHost';
import { viewWords } from './words';

export interface PicturePaneProps extends PageProps {
  readonly view: TabView;
}

/** The tab of a view that has a picture but no pane. */
export function PicturePane(props: PicturePaneProps): React.ReactElement {
  const { model, trans, view } = props;
  const { picture, tab } = view;
  const state = useStore(model.store);
  const shown = partOf(state, tab.part);
  const { status, error } = shown;
  const timeline = partOf(state, TIMELINE);
  const value = useStable(tab.fromPageState?.(state) ?? null);
  if (isLost(shown) && (!tab.showsErrors || error?.code === DAMAGED)) {
    return <Failure {...props} error={error} />;
  }
  // The time zone arrives with the timeline, and a change of the zone would redraw the picture.
  const zoneIsPending = timeline.status === 'loading' && !timeline.value;
  if (!picture || value === null || zoneIsPending) {
    return <Waiting trans={trans} />;
  }
  return (
    <>
      <ViewActions {...props} />
      <ViewHost
        view={picture.draw}
        value={value}
        zone={timeline.value?.zone}
        words={viewWords(trans)}
        read={model.read}
        figure={props.figure}
        onEvent={event => tab.onEvent?.(event, model, props.actions)}
        onDrawn={() => {
          if (status === 'ready') {
            endMeasure(`paimon:${view.name}`);
          }
        }}
      />
    </>
  );
}

/** Return the previous value as long as a new one has the same members. */
function useStable<V>(value: V): V {
  const stable = React.useRef(value);
  if (!hasSameMembers(stable.current, value)) {
    stable.current = value;
  }
  return stable.current;
}

function hasSameMembers(one: unknown, other: unknown): boolean {
  if (one === other) {
    return true;
  }
  if (!isObject(one) || !isObject(other)) {
    return false;
  }
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every(key => one[key] === other[key])
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
