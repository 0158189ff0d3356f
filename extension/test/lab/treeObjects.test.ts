import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TreeModel } from '../../src/panel/model';
import type { FakeSource } from './fakeSource';
import { linesOf, shopTree } from './trees';

let source: FakeSource;
let tree: TreeModel;

const lines = () => linesOf(tree);

beforeEach(async () => {
  [source, tree] = await shopTree();
});

describe('what a database has besides tables', () => {
  const expandGroups = () =>
    tree.rows
      .filter(({ kind }) => ['views', 'functions', 'others'].includes(kind))
      .forEach(({ key }) => tree.expandGroup(key, true));

  beforeEach(async () => {
    source.entries = {
      shop: { views: ['cheap orders', 'wide'], others: ['hive orders'] }
    };
    await tree.expand(['lake'], true);
    await tree.expand(['lake', 'shop'], true);
  });

  it('is listed apart, and closed at first', async () => {
    const shown = tree.rows.slice(2, 7);
    expect(shown.map(({ kind, left }) => [kind, left])).toEqual([
      ['table', 0],
      ['table', 0],
      ['more', 1],
      ['views', 2],
      ['others', 1]
    ]);
    expect(shown.map(({ position, size }) => [position, size])).toEqual([
      [1, 5],
      [2, 5],
      [3, 5],
      [4, 5],
      [5, 5]
    ]);
    expandGroups();
    expect(lines().slice(5, 10)).toEqual([
      '    views shop',
      '      view cheap orders',
      '      view wide',
      '    others shop',
      '      other hive orders'
    ]);
    await tree.more(['lake', 'shop']);
    expect(lines()).toContain('      view wide');
  });

  it('says how many names are left out', async () => {
    const views = Array.from({ length: 5 }, (_, index) => `view ${index}`);
    source.entries = { shop: { views } };
    await tree.refresh(['lake', 'shop']);
    expandGroups();
    const shown = tree.rows.filter(({ kind }) => kind in { view: 0, rest: 0 });
    expect(
      shown.map(({ kind, position, size, left }) => [
        kind,
        position,
        size,
        left
      ])
    ).toEqual([
      ['view', 1, 4, 0],
      ['view', 2, 4, 0],
      ['view', 3, 4, 0],
      ['rest', 4, 4, 2]
    ]);
  });

  it('is found by its name', async () => {
    vi.useFakeTimers();
    tree.search('wide');
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(lines()).toEqual([
      'catalog lake',
      '  database shop',
      '    views shop',
      '      view wide'
    ]);
  });
});
