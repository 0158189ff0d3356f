import { PageModel } from '../../src/page/model';
import type { PageLocation } from '../../src/page/pageState';
import {
  COLUMNS,
  COUNT,
  ESTIMATE,
  ROWS,
  SUMMARY,
  type Part
} from '../../src/page/parts';
import type { ViewDefinition } from '../../src/viewDefinitions/definition';
import { LEVELS } from '../../src/viewDefinitions/levels';
import { viewDefinitions } from '../../src/viewDefinitions/registry';
import { SCHEMA } from '../../src/viewDefinitions/schema';
import { TIMELINE } from '../../src/viewDefinitions/timeline';
import { FakeSource, settled } from './fakeSource';

/** The table whose page is opened. */
export const NAME = { catalog: 'lake', database: 'shop', table: 'orders' };

/** Open the page of the table `shop.orders` of a source. */
export async function openPageOf(
  source: FakeSource,
  location: PageLocation = {},
  follow = () => true
): Promise<PageModel> {
  const page = new PageModel(NAME, source, { follow }, location);
  await settled();
  return page;
}

/** A source with the table `shop.orders`. */
export const sourceOfOrders = () =>
  new FakeSource({ lake: { shop: ['orders'] } });

/** The bucket that the tab of levels shows. */
export const bucketOf = (page: PageModel) =>
  LEVELS.tab?.fromPageState?.(page.store.state)?.bucket?.id;

// The pane of the overview needs a browser; the model needs only what it shows.
const OVERVIEW: ViewDefinition = {
  name: 'overview',
  tab: { title: () => '', part: SUMMARY as Part }
};
// A tab with rows, like the real overview.
const DATA: ViewDefinition = {
  name: 'data',
  tab: {
    title: () => '',
    part: SUMMARY as Part,
    others: [ROWS, COLUMNS] as Part[],
    onDemand: [ESTIMATE, COUNT] as Part[],
    arguments: { where: { type: 'string' } }
  }
};
[OVERVIEW, DATA, SCHEMA, TIMELINE, LEVELS].forEach(view =>
  viewDefinitions.register(view)
);
