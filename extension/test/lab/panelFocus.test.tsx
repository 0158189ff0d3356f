import type { TranslationBundle } from '@jupyterlab/translation';
import { act } from 'react';
import * as React from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
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

const trans = {
  __: (text: string) => text,
  _n: (text: string) => text
} as unknown as TranslationBundle;

let root: ReturnType<typeof createRoot>;
let host: HTMLElement;
let tree: InstanceType<typeof TreeModel>;

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
  tree = new TreeModel(new FakeSource({ lake: { shop: ['orders'] } }), () => 2);
  root = createRoot(host);
  await act(async () =>
    root.render(
      <Panel
        model={tree}
        trans={trans}
        openOn={() => 'single'}
        openTable={() => undefined}
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
