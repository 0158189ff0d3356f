import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TreeModel } from '../../src/panel/model';
import type { FakeSource } from './fakeSource';
import { linesOf, shopTree } from './trees';

let source: FakeSource;
let tree: TreeModel;

const lines = () => linesOf(tree);

beforeEach(async () => {
  [source, tree] = await shopTree();
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('the tree of a catalog that does not answer', () => {
  it('comes back by itself, and does not move until then', async () => {
    await tree.expand(['lake'], true);
    await tree.expand(['lake', 'shop'], true);
    source.dead = true;
    await tree.refresh(['lake']);
    const failed = lines();
    const changes: string[][] = [];
    const stop = tree.store.subscribe(() => changes.push(lines()));
    source.requests = [];
    await vi.advanceTimersByTimeAsync(40_000);
    // After 2, 6, 14 and 30 seconds.
    expect(source.requests).toEqual(Array(4).fill('databases lake'));
    expect(changes.every(each => each.join() === failed.join())).toBe(true);
    stop();
    source.dead = false;
    source.names.lake.shop.unshift('new');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(lines()).not.toContain('  failed lake');
    expect(lines()).toContain('    table new');
    source.requests = [];
    await vi.advanceTimersByTimeAsync(60_000);
    expect(source.requests).toEqual([]);
  });

  it('repeats nothing that was refused, is closed, or is not visible', async () => {
    source.broken.add('databases lake');
    await tree.expand(['lake'], true);
    source.dead = true;
    await tree.expand(['other'], true);
    await tree.expand(['other'], false);
    source.requests = [];
    await vi.advanceTimersByTimeAsync(60_000);
    expect(source.requests).toEqual([]);
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    await tree.expand(['other'], true);
    source.requests = [];
    await vi.advanceTimersByTimeAsync(60_000);
    expect(source.requests).toEqual([]);
    hidden.mockRestore();
    source.dead = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(lines()).toContain('  database border');
    expect(lines()).toContain('  failed lake');
  });
});

describe('the refreshed tree', () => {
  it('forgets what was closed or removed when everything is refreshed', async () => {
    await tree.expand(['lake'], true);
    await tree.expand(['lake', 'shop'], true);
    await tree.expand(['lake'], false);
    await tree.expand(['other'], true);
    const { other } = source.names;
    delete source.names.other;
    await tree.reload();
    source.names.lake = { shop: ['new'] };
    await tree.expand(['lake'], true);
    expect(lines()).toEqual([
      'catalog lake',
      '  database shop',
      '    table new'
    ]);
    source.names.other = { ...other, added: [] };
    await tree.reload();
    expect(lines()).toContain('  database added');
  });
});
