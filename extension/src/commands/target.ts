import type { CatalogValue } from '../contract';
import type { TreeModel } from '../panel/model';
import { LakeError } from '../source';
import type { TableName } from '../state/names';
import { isEntry, isNode, type Row } from '../state/rows';
import { LATEST, parseVersion, type Version } from '../state/version';
import type { Arguments, CommandNeeds } from './command';

/** The table and version that a command applies to. */
export interface Target {
  readonly name: TableName;
  readonly version: Version;
}

/**
 * Return the table named in the arguments, or on the page in front, or in the tree's row if the command came from the
 * tree.
 */
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

/** Return the path of the tree's active node, or of a view or another entry, to which its context menu applies. */
export function treePath({ tree }: CommandNeeds): readonly string[] | null {
  const row = tree.activeRow;
  return row && (isNode(row) || isEntry(row)) ? row.path : null;
}

export async function catalogOf(
  {
    tree,
    source,
    trans
  }: Pick<CommandNeeds, 'source' | 'trans'> & {
    readonly tree: TreeModel | null;
  },
  name: string
): Promise<CatalogValue> {
  const known =
    tree?.catalog(name) ??
    (await source.read('catalogs', {})).items.find(
      catalog => catalog.name === name
    );
  if (!known) {
    throw new LakeError({
      code: 'catalog_not_found',
      message: trans.__('Catalog %1 does not exist.', name),
      hint: trans.__('Refresh the panel, or add the catalog.'),
      file: null
    });
  }
  return known;
}
