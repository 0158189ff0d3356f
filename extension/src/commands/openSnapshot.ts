import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { askForCatalog } from '../panel/addCatalog';
import { nameFor } from '../state/newCatalog';
import {
  catalogFor,
  parseLink,
  type SnapshotLink
} from '../state/snapshotLink';
import { viewDefinitions } from '../viewDefinitions/registry';
import type { Arguments, CommandNeeds } from './command';

export const SNAPSHOT_ARGUMENTS: ReadonlyJSONObject = {
  warehouse: {
    type: 'string',
    description: 'The directory or URL of the catalog.'
  },
  catalog: { type: ['string', 'null'], description: 'The catalog name.' },
  database: { type: 'string', description: 'The name of the database.' },
  table: { type: 'string', description: 'The name of the table.' },
  snapshot: { type: 'string', description: 'The id of the snapshot.' }
};

/** Open the snapshot that a cell created; an unknown warehouse is added only if the user agrees. */
export async function openSnapshot(
  needs: CommandNeeds,
  args: Arguments
): Promise<void> {
  const link = parseLink(args);
  const catalog = link && (await catalogName(needs, link));
  if (!link || catalog === null) {
    return;
  }
  const { database, table, snapshot } = link;
  const name = { catalog, database, table };
  const tab = viewDefinitions.tabs.find(view => view.tab.showsWrites)?.name;
  const isOpen = needs.pages.find(name) !== null;
  needs.pages.open(name, {
    version: { kind: 'snapshot', id: snapshot },
    // After a write, show how it changed the files.
    ...(!isOpen && tab && { tab })
  });
}

async function catalogName(
  { tree, source, trans }: CommandNeeds,
  link: SnapshotLink
): Promise<string | null> {
  const known = catalogFor(link, (await source.read('catalogs', {})).items);
  if (known) {
    return known.name;
  }
  const added = await askForCatalog({
    trans,
    tree,
    kinds: await tree.kinds(),
    known: {
      options: { warehouse: link.warehouse },
      name: nameFor(link.catalog ?? link.warehouse)
    },
    explanation: trans.__(
      'This notebook refers to the warehouse %1, which is not in the panel. Add it only if you trust it.',
      link.warehouse
    )
  });
  return added?.name ?? null;
}
