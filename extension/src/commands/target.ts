import type { CatalogValue } from '../contract';
import { LakeError } from '../source';
import type { TableName } from '../state/names';
import { isNode, type Row } from '../state/rows';
import { LATEST, parseVersion, type Version } from '../state/version';
import type { Arguments, CommandNeeds } from './command';

/** The table, at a version, that a command is about. */
export interface Target {
  readonly name: TableName;
  readonly version: Version;
}

/** The table that the arguments name; else the page in front, or the tree's line where the command came from there. */
export function targetOf(
  { tree, pages }: CommandNeeds,
  args: Arguments
): Target | null {
  const named = nameOf(args);
  if (named) {
    const { version } = args;
    const text = typeof version === 'string' ? version : 'latest';
    return { name: named, version: parseVersion(text) };
  }
  const inTree = rowTarget(tree.activeRow);
  if (args.from === 'tree') {
    return inTree;
  }
  const page = pages.current;
  return page ? { name: page.name, version: page.store.state.version } : inTree;
}

function nameOf(args: Arguments): TableName | null {
  const { catalog, database, table } = args;
  return typeof catalog === 'string' &&
    typeof database === 'string' &&
    typeof table === 'string'
    ? { catalog, database, table }
    : null;
}

function rowTarget(row: Row | null): Target | null {
  if (row?.kind !== 'table') {
    return null;
  }
  const [catalog, database, table] = row.path;
  return { name: { catalog, database, table }, version: LATEST };
}

/** The node of the tree that a command from its context menu is about. */
export function treePath({ tree }: CommandNeeds): readonly string[] | null {
  const row = tree.activeRow;
  return row && isNode(row) ? row.path : null;
}

export async function catalogOf(
  { tree, source, trans }: CommandNeeds,
  name: string
): Promise<CatalogValue> {
  const known =
    tree.catalog(name) ??
    (await source.catalogs()).find(catalog => catalog.name === name);
  if (!known) {
    throw new LakeError({
      code: 'catalog_not_found',
      message: trans.__('There is no catalog %1.', name),
      hint: trans.__('Refresh the panel, or add the catalog.')
    });
  }
  return known;
}
