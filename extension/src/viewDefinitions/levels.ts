import type { LevelsValue } from '../contract';
import { partOf, sameCount, SUMMARY, type Part } from '../page/parts';
import { levelsView, type LevelsEvent } from '../views/levels';
import type { ViewDefinition } from './definition';

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

/** The LSM tree of each bucket. */
export const LEVELS: ViewDefinition<LevelsValue, LevelsEvent> = {
  name: 'levels',
  picture: {
    draw: levelsView,
    ofWidget: value => value as LevelsValue | null
  },
  tab: {
    title: (trans, state) =>
      state && partOf(state, SUMMARY).value?.kind === 'append'
        ? trans.__('Files')
        : trans.__('Levels'),
    part: PART as Part,
    ofPage: state => partOf(state, PART).value,
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
    showsWrites: true
  }
};
