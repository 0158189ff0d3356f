import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TreeModel } from '../../src/panel/model';
import { pathKey } from '../../src/state/names';
import { nameOf } from '../../src/state/rows';
import type { FakeSource } from './fakeSource';
import { settled } from './fakeSource';
import { linesOf, shopTree } from './trees';

let source: FakeSource;
let tree: TreeModel;

const lines = () => linesOf(tree);

const unsearched = () => tree.unsearched.map(({ name }) => name);

beforeEach(async () => {
  [source, tree] = await shopTree();
});

describe('the tree', () => {
  it('reads a node when it is opened, and only then', async () => {
    expect(lines()).toEqual(['catalog lake', 'catalog other']);
    await tree.expand(['lake'], true);
    await tree.expand(['lake'], false);
    await tree.expand(['lake'], true);
    expect(source.requests).toEqual(['catalogs', 'databases lake']);
    expect(lines()).toEqual([
      'catalog lake',
      '  database shop',
      '  database empty',
      'catalog other'
    ]);
  });

  it('expands the first catalog, and a database that is the only one', async () => {
    await tree.expandFirst();
    expect(lines()).toEqual([
      'catalog lake',
      '  database shop',
      '  database empty',
      'catalog other'
    ]);
    source.names = { other: { border: ['x'] } };
    await tree.reload();
    await tree.expandFirst();
    expect(lines()).toEqual([
      'catalog other',
      '  database border',
      '    table x'
    ]);
    source.names = {};
    await tree.reload();
    await tree.expandFirst();
    expect(lines()).toEqual([]);
  });

  it('goes on where a page of names ended', async () => {
    await tree.expand(['lake'], true);
    await tree.expand(['lake', 'shop'], true);
    const more = tree.rows.find(row => row.kind === 'more');
    expect(more).toMatchObject({ left: 1, position: 3, size: 3 });
    await tree.more(['lake', 'shop']);
    expect(lines().slice(2, 5)).toEqual([
      '    table orders',
      '    table items',
      '    table old orders'
    ]);
  });

  it('says of an empty node that it is empty', async () => {
    await tree.expand(['lake'], true);
    await tree.expand(['lake', 'empty'], true);
    expect(lines()).toContain('    empty empty');
  });

  it('shows the error of a node below it, and reads the others', async () => {
    source.broken.add('databases lake');
    await tree.expand(['lake'], true);
    await tree.expand(['other'], true);
    expect(lines()).toEqual([
      'catalog lake',
      '  failed lake',
      'catalog other',
      '  database border'
    ]);
    expect(tree.rows[1].error?.message).toBe('databases lake is broken.');
    source.broken.clear();
    await tree.refresh(['lake']);
    expect(lines()[1]).toBe('  database shop');
  });

  it('keeps its nodes if the storage does not answer, and says so once', async () => {
    await tree.expand(['lake'], true);
    await tree.expand(['lake', 'shop'], true);
    source.dead = true;
    const reload = tree.refresh(['lake']);
    expect(tree.isReading).toBe(true);
    await reload;
    expect(tree.isReading).toBe(false);
    expect(lines()).toEqual([
      'catalog lake',
      '  database shop',
      '    table orders',
      '    table items',
      '    more shop',
      '  database empty',
      '  failed lake',
      'catalog other'
    ]);
    source.dead = false;
    await tree.refresh(['lake']);
    expect(lines()).not.toContain('  failed lake');
  });

  it('reads again what is open below a refreshed node', async () => {
    await tree.expand(['lake'], true);
    await tree.expand(['lake', 'shop'], true);
    source.names.lake = { shop: ['new'] };
    await tree.refresh(['lake']);
    expect(lines().slice(1, 3)).toEqual(['  database shop', '    table new']);
  });

  it('opens what was open in the former session', async () => {
    tree.restore([pathKey(['lake']), pathKey(['lake', 'shop'])]);
    await tree.reload();
    expect(lines()).toContain('    table orders');
  });

  it('shows a catalog that was added, opened and active', async () => {
    const options = { warehouse: '/new' };
    const wanted = { name: 'new', options, remember: false };
    await tree.addCatalog(wanted);
    expect(lines()).toContain('  database first');
    expect(tree.activeRow?.path).toEqual(['new']);
    await tree.removeCatalog('new');
    expect(lines()).not.toContain('catalog new');
  });
});

describe('the search', () => {
  const search = async (text: string) => {
    vi.useFakeTimers();
    tree.search(text);
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    await settled();
  };

  it('keeps every line until something is found', async () => {
    const shown: string[] = [];
    await tree.expand(['lake'], true);
    const stop = tree.store.subscribe(() => shown.push(lines().join()));
    await search('ord');
    stop();
    expect(shown.filter(text => !text.includes('shop'))).toEqual([]);
  });

  it('opens databases with matching tables, in all catalogs at first', async () => {
    await search('ord');
    expect(lines()).toEqual([
      'catalog lake',
      '  database shop',
      '    table orders',
      '    table old orders',
      'catalog other',
      '  database border'
    ]);
  });

  it('covers the catalogs that were never expanded', async () => {
    await tree.expand(['lake'], true);
    await search('x');
    expect(lines()).toContain('    table x');
  });

  it('shows what other catalogs have if one is broken, and names that one', async () => {
    source.broken.add('databases lake');
    await search('border');
    expect(lines()).toContain('  database border');
    expect(unsearched()).toEqual(['lake']);
  });

  it('shows all tables of a database that is found by its name', async () => {
    await search('border');
    await tree.expand(['other', 'border'], true);
    expect(lines()).toContain('    table x');
  });

  it('hides catalogs without a match, and says once that there is none', async () => {
    await search('orders');
    expect(lines()).toEqual([
      'catalog lake',
      '  database shop',
      '    table orders',
      '    table old orders'
    ]);
    expect(tree.foundNothing).toBe(false);
    await search('nothing of that name');
    expect(lines()).toEqual([]);
    expect([tree.foundNothing, unsearched()]).toEqual([true, []]);
  });

  it('finds tables by their columns, in databases without a matching name, too', async () => {
    source.columns = {
      'lake.shop.old orders': 'tail',
      'other.border.x': 'tail'
    };
    await search('tail');
    expect(lines()).toEqual([
      'catalog lake',
      '  database shop',
      '    table old orders',
      'catalog other',
      '  database border',
      '    table x'
    ]);
    const [, shop, orders] = tree.rows;
    expect([shop.size, shop.hit]).toEqual([1, null]);
    expect(orders).toMatchObject({ position: 1, size: 1, level: 3 });
    expect(orders.hit?.matches[0].text).toBe('tail');
    expect(tree.store.state.covered).toMatchObject({ read: 4, total: 4 });
  });

  it('lists what was found by name first, and each table once', async () => {
    source.names.lake.shop.push('old items', 'worn old tools');
    source.columns = { 'lake.shop.items': 'old', 'lake.shop.orders': 'old' };
    await search('old');
    const inShop = () =>
      tree.rows
        .filter(row => row.level === 3)
        .map(row => [row.kind, nameOf(row), row.position, row.size]);
    expect(inShop()).toEqual([
      ['table', 'old orders', 1, 5],
      ['table', 'old items', 2, 5],
      ['more', 'shop', 3, 5],
      ['table', 'orders', 4, 5],
      ['table', 'items', 5, 5]
    ]);
    await tree.more(['lake', 'shop']);
    expect(inShop().map(row => row[1])).toEqual([
      'old orders',
      'old items',
      'worn old tools',
      'orders',
      'items'
    ]);
  });

  it('lists a table once if its database was expanded before its columns were read', async () => {
    source.names.other.border.push('y', 'z');
    source.columns = { 'other.border.z': 'border' };
    const stop = tree.store.subscribe(() => {
      if (lines().includes('  database border')) {
        stop();
        void tree.expand(['other', 'border'], true);
      }
    });
    await search('border');
    await tree.more(['other', 'border']);
    expect(lines().slice(-3)).toEqual([
      '    table x',
      '    table y',
      '    table z'
    ]);
    expect(tree.rows[tree.rows.length - 1].hit?.table).toBe('z');
  });

  it('shows names before it reads columns', async () => {
    source.columns = { 'lake.shop.items': 'ord' };
    const shown: string[] = [];
    tree.store.subscribe(() => shown.push(lines().join()));
    await search('ord');
    const first = shown.findIndex(text => text.includes('table orders'));
    const later = shown.findIndex(text => text.includes('table items'));
    expect([first >= 0, later > first]).toEqual([true, true]);
    const { requests } = source;
    const named = requests.indexOf('tables lake.shop ord');
    expect(requests.indexOf('table_search lake.shop ord')).toBeGreaterThan(
      named
    );
  });

  it('goes on with the other databases if one cannot be read, and names what it could not read', async () => {
    source.names.lake.shop.push('broken table');
    source.names.lake.third = ['t'];
    source.columns = { 'lake.third.t': 'tail' };
    source.broken.add('table_search other.border');
    await search('tail');
    expect(lines()).toContain('    table t');
    expect(unsearched().sort()).toEqual([
      'lake.shop.broken table',
      'other.border'
    ]);
    expect(tree.store.state.covered).toMatchObject({ read: 4, total: 6 });
  });

  it.each(['', 'another'])(
    'stops reading when the text becomes "%s"',
    async next => {
      source.names.lake.shop = Array.from({ length: 40 }, (_, at) => `t${at}`);
      const parts = () =>
        source.requests.filter(each => /^table_search .* tail/.test(each));
      const stop = tree.store.subscribe(() => {
        if (tree.store.state.covered.read > 4) {
          stop();
          tree.search(next);
        }
      });
      await search('tail');
      expect(parts().length).toBeGreaterThan(1);
      expect(parts().length).toBeLessThan(6);
      expect(tree.store.state.searching).toBe(false);
    }
  );

  it('gives back the tree as it was', async () => {
    await tree.expand(['lake'], true);
    const before = lines();
    await search('ord');
    tree.search('');
    expect(lines()).toEqual(before);
  });

  it('waits for the last letter', async () => {
    vi.useFakeTimers();
    tree.search('o');
    tree.search('or');
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(source.requests.filter(each => /tables .* o$/.test(each))).toEqual(
      []
    );
  });
});
