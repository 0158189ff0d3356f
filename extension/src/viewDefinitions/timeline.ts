import type { TimelineValue } from '../contract';
import { partOf, SUMMARY, TIMELINE as PART, type Part } from '../page/parts';
import {
  timelineView,
  type TimelineEvent,
  type TimelineShown
} from '../views/history/timeline';
import { CHANGES_NAME, comparedSnapshots } from './changes';
import type { ViewDefinition } from './definition';

/** The snapshots and tags of a table. */
export const TIMELINE: ViewDefinition<TimelineShown, TimelineEvent> = {
  name: 'timeline',
  picture: {
    draw: timelineView,
    fromWidget: (value, selected) =>
      value ? { timeline: value as TimelineValue, selected } : null,
    snapshotOf: value => (value as TimelineValue).snapshots[0]?.id ?? null,
    handleOffline: (still, event) =>
      event.kind === 'select-snapshot' ? { ...still, selected: event.id } : null
  },
  tab: {
    title: trans => trans.__('Timeline'),
    part: PART as Part,
    python: table => `wb.timeline(${table})`,
    cell: table => `%paimon timeline ${table}`,
    fromPageState: state => {
      const timeline = partOf(state, PART).value;
      const selected = partOf(state, SUMMARY).value?.snapshot ?? null;
      return timeline && { timeline, selected };
    },
    onEvent: (event, model) => {
      if (event.kind === 'select-snapshot') {
        model.showVersion({ kind: 'snapshot', id: event.id });
      } else if (event.kind === 'compare') {
        model.setArguments(comparedSnapshots(event.before, event.after));
        model.showTab(CHANGES_NAME);
      } else if (event.kind === 'show-compaction') {
        model.setArguments({ compaction: event.id });
        model.showTab('compaction');
      } else {
        void model.more(PART);
      }
    }
  }
};
