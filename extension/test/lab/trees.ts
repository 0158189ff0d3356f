import { TreeModel } from '../../src/panel/model';
import { nameOf } from '../../src/state/rows';
import { FakeSource } from './fakeSource';

/** A tree of two catalogs that requests two names at a time, and its source. */
export async function shopTree(): Promise<[FakeSource, TreeModel]> {
  const source = new FakeSource({
    lake: { shop: ['orders', 'items', 'old orders'], empty: [] },
    other: { border: ['x'] }
  });
  const tree = new TreeModel(source, () => 2);
  await tree.reload();
  return [source, tree];
}

/** The rows of a tree as indented text. */
export function linesOf(tree: TreeModel): string[] {
  return tree.rows.map(
    row => `${'  '.repeat(row.level - 1)}${row.kind} ${nameOf(row)}`
  );
}
