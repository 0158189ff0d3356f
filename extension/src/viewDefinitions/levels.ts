import type { BucketValue, LevelsValue } from '../contract';
import { partOf, sameCount, SUMMARY, type Part } from '../page/parts';
import { levelsView, type LevelsEvent } from '../views/levels/picture';
import { mergeBetween } from '../views/levels/merges';
import type { OfflineState, ViewDefinition } from './definition';

const PART: Part<LevelsValue> = {
  name: 'levels',
  perVersion: true,
  read: (read, { table, version, arguments: { bucket } }, shown) =>
    read('levels', {
      ...table,
      ...version,
      bucket,
      limit: sameCount(shown?.buckets)
    }),
  more(read, { table, version }, shown) {
    if (!shown.next) {
      return null;
    }
    const request = { ...table, ...version, cursor: shown.next };
    return read('levels', request).then(page => ({
      ...page,
      bucket: shown.bucket,
      buckets: [...shown.buckets, ...page.buckets]
    }));
  }
};

/** Select a file, or show another bucket if it is saved. */
function handleOffline(
  still: OfflineState,
  event: LevelsEvent
): OfflineState | null {
  if (event.kind === 'select-file') {
    return { ...still, selected: event.name };
  }
  if (event.kind !== 'select-bucket') {
    return null;
  }
  const value = still.value as LevelsValue;
  const others = still.others as readonly BucketValue[];
  const buckets = [...others, ...(value.bucket ? [value.bucket] : [])];
  const bucket = buckets.find(item => item.id === event.id);
  return bucket
    ? { value: { ...value, bucket }, selected: null, others: buckets }
    : null;
}

/** The LSM tree of each bucket. */
export const LEVELS: ViewDefinition<LevelsValue, LevelsEvent> = {
  name: 'levels',
  picture: {
    draw: levelsView,
    fromWidget: value => value as LevelsValue | null,
    snapshotOf: value => (value as LevelsValue).snapshot,
    handleOffline
  },
  tab: {
    title: (trans, state) =>
      state && partOf(state, SUMMARY).value?.kind === 'append'
        ? trans.__('Files')
        : trans.__('Levels'),
    part: PART as Part,
    python: table => `wb.levels(${table})`,
    cell: table => `%paimon levels ${table}`,
    fromPageState: state => partOf(state, PART).value,
    onEvent: (event, model) => {
      if (event.kind === 'select-bucket') {
        model.setArguments({ bucket: event.id });
      } else if (event.kind === 'more-buckets') {
        void model.more(PART);
      }
    },
    arguments: {
      bucket: { type: ['string', 'null'], description: 'The id of a bucket.' }
    },
    showsWrites: true,
    merged: (before, now) =>
      mergeBetween(
        partOf({ parts: before }, PART).value,
        partOf({ parts: now }, PART).value
      )
  }
};
