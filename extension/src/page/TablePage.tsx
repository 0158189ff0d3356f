import * as React from 'react';
import { endMeasure } from '../measure';
import { useStore } from '../react';
import type { PageProps } from './context';
import { Header } from './Header';
import { Levels } from './Levels';
import type { PageState } from './model';
import { Overview } from './Overview';
import { Schema } from './Schema';
import { Announcement, Failure, Trouble } from './states';
import { Tabs } from './Tabs';
import { Timeline } from './Timeline';

const PANES = {
  overview: Overview,
  schema: Schema,
  timeline: Timeline,
  levels: Levels
};

/** All of one table: a head with the version switch, and the tabs that follow it. */
export function TablePage(props: PageProps): React.ReactElement {
  const { model, trans } = props;
  const state = useStore(model.store);
  const { summary, tab } = state;
  const Pane = PANES[tab];
  const complete = isComplete(state);
  React.useLayoutEffect(() => {
    if (complete) {
      endMeasure('paimon:table-page');
    }
  }, [complete]);
  return (
    <div className="pw-page" data-pw="table-page">
      <Header {...props} />
      <Announcement state={state} trans={trans} />
      <Trouble {...props} />
      <Tabs
        tab={tab}
        trans={trans}
        busy={!complete}
        onTab={next => model.showTab(next)}
      >
        {summary.status === 'failed' ? (
          <Failure {...props} error={summary.error} />
        ) : (
          <Pane {...props} />
        )}
      </Tabs>
    </div>
  );
}

const ANSWERED = ['ready', 'failed'];

/** Whether all that is shown was answered, an error being an answer too. */
function isComplete(state: PageState): boolean {
  const pane = state.tab === 'overview' ? state.summary : state[state.tab];
  return [state.summary, pane].every(({ status }) => ANSWERED.includes(status));
}
