import { DataTab } from '../page/data/DataTab';
import { COLUMNS, ROWS, type Part } from '../page/parts';
import type { ViewDefinition } from './definition';

/** The rows of a version, with a filter. */
export const DATA: ViewDefinition = {
  name: 'data',
  tab: {
    title: trans => trans.__('Data'),
    part: ROWS as Part,
    others: [COLUMNS] as Part[],
    Pane: DataTab,
    arguments: {
      where: { type: ['string', 'null'], description: 'A filter for the rows.' }
    }
  }
};
