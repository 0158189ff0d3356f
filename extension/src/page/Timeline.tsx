import * as React from 'react';
import { useStore } from '../react';
import { timelineView, type TimelineEvent } from '../views/timeline';
import type { PageProps } from './context';
import { Failure, Waiting } from './states';
import { ViewHost } from './ViewHost';
import { viewWords } from './words';

export function Timeline(props: PageProps): React.ReactElement {
  const { model, trans } = props;
  const { timeline, summary } = useStore(model.store);
  const { value } = timeline;
  const selected = summary.value?.snapshot ?? null;
  const shown = React.useMemo(
    () => value && { timeline: value, selected },
    [value, selected]
  );
  if (timeline.status === 'failed') {
    return <Failure {...props} error={timeline.error} />;
  }
  if (!shown) {
    return <Waiting trans={trans} />;
  }
  const onEvent = (event: TimelineEvent): void => {
    if (event.kind === 'select-snapshot') {
      model.showVersion({ kind: 'snapshot', id: event.id });
    } else {
      void model.moreSnapshots();
    }
  };
  return (
    <ViewHost
      view={timelineView}
      value={shown}
      zone={shown.timeline.zone}
      words={viewWords(trans)}
      onEvent={onEvent}
    />
  );
}
