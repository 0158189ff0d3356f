import * as React from 'react';
import { endMeasure } from '../measure';
import { useStore } from '../react';
import { viewDefinitions } from '../viewDefinitions/registry';
import type { PageProps } from './context';
import { Header } from './Header';
import type { PageState } from './pageState';
import { partOf, SUMMARY } from './parts';
import { PicturePane } from './PicturePane';
import { Story } from './Story';
import { Announcement, Trouble } from './states';
import { Tabs } from './Tabs';

/** A table page: a header with the version switch, and the tabs. */
export function TablePage(props: PageProps): React.ReactElement {
  const { model, trans } = props;
  const state = useStore(model.store);
  const view = viewDefinitions.tab(state.tab);
  const { Pane } = view.tab;
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
      <Story state={state} trans={trans} />
      <Trouble {...props} busy={!complete} />
      <Tabs
        state={state}
        tab={view.name}
        trans={trans}
        busy={!complete}
        onTab={next => model.showTab(next)}
      >
        {Pane ? (
          <Pane {...props} />
        ) : (
          <PicturePane key={view.name} {...props} view={view} />
        )}
      </Tabs>
    </div>
  );
}

const SETTLED = ['ready', 'failed'];

/** Return whether everything on the page was read or has failed. */
function isComplete(state: PageState): boolean {
  const { part } = viewDefinitions.tab(state.tab).tab;
  return [partOf(state, SUMMARY), partOf(state, part)].every(({ status }) =>
    SETTLED.includes(status)
  );
}
