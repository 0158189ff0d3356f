import * as React from 'react';
import { endMeasure } from '../measure';
import { useStore } from '../react';
import { levelsView, type LevelsEvent } from '../views/levels';
import type { PageProps } from './context';
import { Failure, Waiting } from './states';
import { ViewHost } from './ViewHost';
import { viewWords } from './words';

export function Levels(props: PageProps): React.ReactElement {
  const { model, trans } = props;
  const { levels, timeline } = useStore(model.store);
  if (levels.status === 'failed') {
    return <Failure {...props} error={levels.error} />;
  }
  // The time zone comes with the timeline; another zone would be another picture.
  const zoneComes = timeline.status === 'loading' && !timeline.value;
  if (!levels.value || zoneComes) {
    return <Waiting trans={trans} />;
  }
  const onEvent = (event: LevelsEvent): void => {
    if (event.kind === 'select-bucket') {
      model.showBucket(event.id);
    } else if (event.kind === 'more-buckets') {
      void model.moreBuckets();
    }
  };
  return (
    <ViewHost
      view={levelsView}
      value={levels.value}
      zone={timeline.value?.zone}
      words={viewWords(trans)}
      onEvent={onEvent}
      onDrawn={() => {
        if (levels.status === 'ready') {
          endMeasure('paimon:levels');
        }
      }}
    />
  );
}
