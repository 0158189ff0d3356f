import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { askForCatalog, nameFor } from '../panel/addCatalog';
import {
  catalogFor,
  parseLink,
  type SnapshotLink
} from '../state/snapshotLink';
import type { Arguments, CommandNeeds } from './command';

export const SNAPSHOT_ARGUMENTS: ReadonlyJSONObject = {
  warehouse: { type: 'string', description: 'The directory of the catalog.' },
  catalog: { type: ['string', 'null'], description: 'The name it may have.' },
  database: { type: 'string', description: 'The name of the database.' },
  table: { type: 'string', description: 'The name of the table.' },
  snapshot: { type: 'string', description: 'The id of the snapshot.' }
};

/** Show the snapshot that a cell made; a warehouse that the server does not know is opened only if the user agrees. */
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
  const isOpen = needs.pages.find(name) !== null;
  needs.pages.open(name, {
    version: { kind: 'snapshot', id: snapshot },
    // Who comes from a write wants to see what it did to the files.
    ...(!isOpen && { tab: 'levels' })
  });
}

async function catalogName(
  { tree, source, trans }: CommandNeeds,
  link: SnapshotLink
): Promise<string | null> {
  const known = catalogFor(link, await source.catalogs());
  if (known) {
    return known.name;
  }
  const wanted = await askForCatalog(
    trans,
    {
      warehouse: link.warehouse,
      name: nameFor(link.catalog ?? link.warehouse)
    },
    trans.__(
      'The panel does not know the warehouse %1, which this notebook names. Add it only if you trust it.',
      link.warehouse
    )
  );
  return wanted && (await tree.addCatalog(wanted)).name;
}
