import type { TranslationBundle } from '@jupyterlab/translation';
import { act } from 'react';
import * as React from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import plugin from '../../schema/plugin.json';
import type { CommandNeeds } from '../../src/commands/command';
import type { SchemaHistoryValue } from '../../src/contract';
import type { PageProps } from '../../src/page/context';
import type { PageState } from '../../src/page/pageState';
import type { Part } from '../../src/page/parts';
import { viewDefinitions } from '../../src/viewDefinitions/registry';
import type { ViewDefinition } from '../../src/viewDefinitions/definition';
import { FakeSource, settled } from './fakeSource';

// JupyterLab's own modules need a browser; these tests render none of them.
vi.mock('@jupyterlab/ui-components', () => {
  const icon = { react: () => null };
  return {
    ReactWidget: class {},
    copyIcon: icon,
    notebookIcon: icon,
    refreshIcon: icon,
    caretDownEmptyIcon: icon,
    caretLeftIcon: icon,
    caretRightIcon: icon
  };
});

vi.mock('@jupyterlab/apputils', () => ({}));

const { registerViews } = await import('../../src/viewDefinitions');
registerViews();
const { default: widget } = await import('../../src/widget');
const { PageModel } = await import('../../src/page/model');
const { Tabs } = await import('../../src/page/Tabs');
const { PicturePane } = await import('../../src/page/PicturePane');
const { viewCommands } = await import('../../src/commands/views');

const trans = {
  __: (text: string, ...values: unknown[]) =>
    text.replace(/%(\d)/g, (_, at) => String(values[Number(at) - 1])),
  gettext: (text: string) => text
} as unknown as TranslationBundle;
const name = { catalog: 'lake', database: 'shop', table: 'orders' };

interface Width {
  readonly current: string;
  readonly unit: string | null;
}

const PART: Part<Width> = {
  name: 'width',
  perVersion: true,
  read: (read, { table, version, arguments: { unit } }) =>
    read('schema', { ...table, ...version }).then(
      ({ current }: SchemaHistoryValue) => ({ current, unit: unit ?? null })
    )
};

/** A view that is defined outside of the extension. */
const WIDTH: ViewDefinition<Width, { kind: 'unit'; unit: string }> = {
  name: 'width',
  picture: {
    draw: (element, host) => ({
      update: value => {
        element.innerHTML = '<button></button>';
        const button = element.firstElementChild as HTMLButtonElement;
        button.textContent = `schema ${value.current} in ${value.unit}`;
        button.onclick = () => host.emit({ kind: 'unit', unit: 'cm' });
      },
      dispose: () => element.replaceChildren()
    }),
    fromWidget: value => value as Width | null
  },
  tab: {
    title: () => 'Width',
    part: PART as Part,
    fromPageState: state => (state.parts.width?.value ?? null) as Width | null,
    onEvent: (event, model) => model.setArguments({ unit: event.unit }),
    arguments: { unit: { type: 'string' } }
  }
};

let source: FakeSource;

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  source = new FakeSource({ lake: { shop: ['orders'] } });
  viewDefinitions.register(WIDTH);
});
afterEach(() => {
  viewDefinitions.unregister('width');
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

function draw(element: React.ReactElement): HTMLElement {
  const container = document.createElement('div');
  document.body.append(container);
  act(() => createRoot(container).render(element));
  return container;
}

describe('a view that is registered', () => {
  it('has a tab behind those of the extension', () => {
    const onTab = vi.fn();
    const state = { parts: {} } as PageState;
    const tabs = draw(
      <Tabs state={state} tab="width" busy={false} trans={trans} onTab={onTab}>
        <p />
      </Tabs>
    );
    const titles = [...tabs.querySelectorAll<HTMLElement>('[role=tab]')];
    expect(titles.map(each => each.textContent)).toEqual([
      'Overview',
      'Data',
      'Changes',
      'Timeline',
      'Levels',
      'Compaction',
      'Health',
      'Schema',
      'Width'
    ]);
    expect(titles[8].getAttribute('aria-selected')).toBe('true');
    titles[4].click();
    expect(onTab).toHaveBeenCalledWith('levels');
  });

  it('has a command that opens the page with its tab and arguments', () => {
    const open = vi.fn();
    const needs = { trans, pages: { current: null, open }, tree: {} };
    const commands = viewCommands(needs as unknown as CommandNeeds);
    expect(Object.keys(commands)).toContain('paimon:show-levels');
    const command = commands['paimon:show-width'];
    expect(command.label).toBe('Show Width');
    expect(command.properties).toMatchObject({ unit: { type: 'string' } });
    command.execute({ ...name, version: '2', unit: 'cm', other: 'x' });
    expect(open).toHaveBeenCalledWith(name, {
      version: { kind: 'snapshot', id: '2' },
      tab: 'width',
      arguments: { unit: 'cm' }
    });
  });

  it('is read by the page when it is shown, and again for another version', async () => {
    const page = new PageModel(name, source, { follow: () => true }, {});
    await settled();
    expect(source.requests).toEqual([
      'summary latest',
      'timeline',
      'rows latest',
      'columns latest',
      'live_files latest'
    ]);
    page.showTab('width');
    await settled();
    expect(source.requests.at(-1)).toBe('schema latest');
    page.showVersion({ kind: 'snapshot', id: '2' });
    await settled();
    expect(source.requests.slice(-2)).toEqual(['summary 2', 'schema 2']);
    page.dispose();
  });

  it('is drawn in its tab, and its events reach the page', async () => {
    const location = { tab: 'width' };
    const model = new PageModel(name, source, { follow: () => true }, location);
    await settled();
    const props = { model, trans } as unknown as PageProps;
    const pane = draw(
      <PicturePane {...props} view={viewDefinitions.tab('width')} />
    );
    expect(pane.textContent).toBe('schema 0 in null');
    await act(async () => {
      pane.querySelector('button')?.click();
      await settled();
    });
    expect(pane.textContent).toBe('schema 0 in cm');
    model.dispose();
  });

  it('is drawn by the widget of notebooks', () => {
    const el = document.createElement('div');
    const send = vi.fn();
    const traits: Record<string, unknown> = {
      kind: 'width',
      value: { current: '7', unit: 'mm' }
    };
    const model = { get: (trait: string) => traits[trait], send };
    widget.render({ model: { ...model, on: vi.fn(), off: vi.fn() }, el });
    expect(el.textContent).toBe('schema 7 in mm');
    el.querySelector('button')?.click();
    expect(send).toHaveBeenCalledWith({ kind: 'unit', unit: 'cm' });
  });
});

describe('the registry', () => {
  it('has each name once', () => {
    viewDefinitions.register(WIDTH);
    const other = { ...WIDTH };
    expect(() => viewDefinitions.register(other)).toThrow("a view 'width'");
  });

  it('falls back to the first tab', () => {
    expect(viewDefinitions.hasTab('explore')).toBe(false);
    expect(viewDefinitions.tab('nothing').name).toBe('overview');
  });

  it('has the tabs that the settings offer', () => {
    viewDefinitions.unregister('width');
    const offered = plugin.properties.firstTab.oneOf;
    // A page cannot open with a tab that needs a row or a query.
    const tabs = viewDefinitions.tabs.filter(view => !view.tab.listedWhenOpen);
    expect(
      tabs.map(view => ({
        const: view.name,
        title: view.tab.title(trans)
      }))
    ).toEqual(offered);
  });
});
