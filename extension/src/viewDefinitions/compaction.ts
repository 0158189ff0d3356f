import type { CompactionStory, CompactionsValue } from '../contract';
import { partOf, type Part } from '../page/parts';
import type {
  CompactionEvent,
  CompactionShown
} from '../views/compaction/model';
import { compactionView } from '../views/compaction/view';
import type { OfflineState, ViewDefinition } from './definition';

const PART: Part<CompactionsValue> = {
  name: 'compactions',
  perVersion: false,
  takes: [],
  read: (read, { table }) => read('compactions', { ...table })
};

/** Show another compaction if its story is saved. */
function handleOffline(
  still: OfflineState,
  event: CompactionEvent
): OfflineState | null {
  if (event.kind !== 'select-compaction') {
    return null;
  }
  const value = still.value as CompactionsValue;
  const stories = [
    ...(still.others as readonly CompactionStory[]),
    ...(value.story ? [value.story] : [])
  ];
  const story = stories.find(each => each.compaction.id === event.id);
  return story
    ? { value: { ...value, story }, selected: event.id, others: stories }
    : null;
}

/** The compactions of a table. */
export const COMPACTION: ViewDefinition<CompactionShown, CompactionEvent> = {
  name: 'compaction',
  picture: {
    draw: compactionView,
    fromWidget: (value, selected) =>
      value ? { value: value as CompactionsValue, selected } : null,
    snapshotOf: value => (value as CompactionsValue).last,
    handleOffline
  },
  tab: {
    title: trans => trans.__('Compaction'),
    part: PART as Part,
    python: (table, { arguments: { compaction } }) =>
      `wb.compaction(${table}${pythonArguments(compaction)})`,
    cell: table => `%paimon compaction ${table}`,
    fromPageState: state => {
      const { value } = partOf(state, PART);
      const { compaction } = state.arguments;
      return value && { value, selected: compaction ?? null };
    },
    onEvent: (event, model) => {
      if (event.kind === 'select-compaction') {
        model.setArguments({ compaction: event.id });
      }
    },
    arguments: {
      compaction: {
        type: ['string', 'null'],
        description:
          'A compaction: <snapshot>@<bucket>, or the id of a snapshot.'
      }
    }
  }
};

/**
 * Return the Python arguments for the chosen compaction. The id is data, so it becomes code only if it has the expected
 * form.
 */
function pythonArguments(compaction: string | null | undefined): string {
  const match = /^(\d+)(?:@((?:[0-9a-f]{2})*:-?\d+))?$/.exec(compaction ?? '');
  if (!match) {
    return '';
  }
  const bucket = match[2] === undefined ? '' : `, bucket="${match[2]}"`;
  return `, snapshot=${match[1]}${bucket}`;
}
