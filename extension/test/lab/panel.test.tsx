import type { TranslationBundle } from '@jupyterlab/translation';
import { act } from 'react';
import * as React from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EMPTY_FOREST } from '../../src/state/forest';
import { FakeSource, settled } from './fakeSource';

// JupyterLab's own modules need a browser; these tests render none of them.
vi.mock('@jupyterlab/ui-components', () => {
  class LabIcon {
    readonly react = () => null;
  }
  const icon = new LabIcon();
  return new Proxy(
    { LabIcon, ReactWidget: class {} },
    {
      get: (known, name) => Reflect.get(known, name) ?? icon,
      has: () => true
    }
  );
});

const { TreeModel } = await import('../../src/panel/model');
const { Panel, focusTree } = await import('../../src/panel/Panel');

const filled = (text: string, values: unknown[]) =>
  text.replace(/%(\d)/g, (_, at) => String(values[Number(at) - 1]));
const trans = {
  __: (text: string, ...values: unknown[]) => filled(text, values),
  _n: (one: string, many: string, count: number, ...values: unknown[]) =>
    filled(count === 1 ? one : many, [count, ...values])
} as unknown as TranslationBundle;

let root: ReturnType<typeof createRoot>;
let host: HTMLElement;
let source: FakeSource;
let tree: InstanceType<typeof TreeModel>;
let opened: string[][];

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      unobserve(): void {}
      disconnect(): void {}
    }
  );
  host = document.body.appendChild(document.createElement('div'));
  source = new FakeSource({ lake: { shop: ['orders'] } });
  tree = new TreeModel(source, () => 2);
  opened = [];
  root = createRoot(host);
  await act(async () =>
    root.render(
      <Panel
        model={tree}
        trans={trans}
        openOn={() => 'single'}
        openTable={() => undefined}
        openEntry={(kind, path) => opened.push([kind, ...path])}
        addCatalog={() => undefined}
      />
    )
  );
});

afterEach(() => {
  void act(() => root.unmount());
  host.remove();
});

const search = () => host.querySelector('input') as HTMLInputElement;

async function readCatalogs(): Promise<void> {
  await act(async () => {
    await tree.reload();
    await settled();
  });
}

it('focuses the first row as soon as there is one', async () => {
  focusTree(host);
  expect(document.activeElement).toBe(search());
  await readCatalogs();
  expect(document.activeElement?.getAttribute('role')).toBe('treeitem');
});

it('leaves the focus where the user has moved it meanwhile', async () => {
  const other = document.body.appendChild(document.createElement('button'));
  focusTree(host);
  other.focus();
  await readCatalogs();
  expect(document.activeElement).toBe(other);
  other.remove();
});

it('does not interrupt a search', async () => {
  focusTree(host);
  search().dispatchEvent(new Event('input', { bubbles: true }));
  await readCatalogs();
  expect(document.activeElement).toBe(search());
});

describe('the search', () => {
  const type = async (text: string): Promise<void> => {
    await readCatalogs();
    await act(async () => {
      tree.search(text);
      await vi.waitUntil(() => !tree.store.state.searching);
    });
  };
  const status = () =>
    host.querySelector('p[role="status"]')?.textContent?.trim();

  it('says below its name why a table was found, and how much was searched', async () => {
    source.columns = { 'lake.shop.orders': 'tail_number' };
    await type('tail');
    const row = host.querySelector('[data-kind="table"]') as HTMLElement;
    expect(row.getAttribute('aria-label')).toBe(
      'orders, column: tail_number, 2 more matches'
    );
    const reasons = [...row.querySelectorAll('.pw-row-reason')];
    expect(reasons.map(each => each.textContent)).toEqual([
      'column: tail_number',
      '2 more matches'
    ]);
    expect(reasons[0].querySelector('mark')?.textContent).toBe('tail');
    expect(row.style.height).toBe('56px');
    expect(status()).toBe(
      '1 table found. The names, columns and comments of 1 table were searched.'
    );
  });

  it('names what it could not read, and says why', async () => {
    const broken = Array.from({ length: 7 }, (_, at) => `broken${at}`);
    source.names.lake.shop.push(...broken);
    await type('nothing');
    expect(status()).toContain(
      'No matches. The columns and comments of 1 of 8 tables were searched.'
    );
    expect(status()).toContain(
      'These could not be searched: lake.shop.broken0, lake.shop.broken1,'
    );
    expect(status()).toContain(', 2 more.');
    expect(host.querySelector('p[role="status"] span')).toHaveProperty(
      'title',
      broken.map(name => `lake.shop.${name}: It is broken.`).join('\n')
    );
  });

  it('counts the tables on further pages, too', async () => {
    const names = Array.from({ length: 1200 }, (_, at) => `order${at}`);
    source.names.lake.shop = names;
    await type('order');
    expect(status()).toMatch(/^1,200 tables found\./);
  });

  it('shows how far it has come', async () => {
    await readCatalogs();
    const covered = { read: 2, total: 5, unsearched: [] };
    const bar = () => host.querySelector('[role="progressbar"]');
    const show = (searching: boolean) =>
      act(async () =>
        tree.store.update({ found: EMPTY_FOREST, searching, covered })
      );
    await show(true);
    expect(bar()?.getAttribute('aria-valuenow')).toBe('2');
    expect(bar()?.textContent).toBe(
      'The columns and comments of 2 of 5 tables were searched.'
    );
    await show(false);
    expect(bar()).toBeNull();
  });
});

describe('rows besides tables', () => {
  it('open views, and say that other tables are not Paimon tables', async () => {
    source.entries = { shop: { views: ['cheap'], others: ['hive'] } };
    await readCatalogs();
    await act(async () => {
      await tree.expand(['lake'], true);
      await tree.expand(['lake', 'shop'], true);
    });
    const row = (label: string) =>
      host.querySelector<HTMLElement>(`[aria-label^="${label}"]`);
    void act(() => row('Views (1)')?.click());
    void act(() => row('Other tables (1)')?.click());
    expect(row('Views (1)')?.getAttribute('aria-expanded')).toBe('true');
    void act(() => row('hive')?.click());
    expect(row('hive, Not a Paimon table')?.title).toContain('never read');
    void act(() => row('cheap, view')?.click());
    expect(opened).toEqual([['view', 'lake', 'shop', 'cheap']]);
  });

  it('name the kind of each catalog if there are several', async () => {
    await readCatalogs();
    const row = () => host.querySelector<HTMLElement>('[data-kind="catalog"]');
    expect(row()?.getAttribute('aria-label')).toBe('lake');
    expect(row()?.title).toBe('lake\nDirectory\n/data/lake');
    source.names = { ...source.names, hive: {} };
    source.kinds = { hive: 'Hive Metastore' };
    await readCatalogs();
    expect(host.textContent).toContain('Hive Metastore');
    expect(row()?.getAttribute('aria-label')).toBe('lake, Directory');
  });
});
