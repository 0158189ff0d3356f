import { beforeEach, describe, expect, it } from 'vitest';
import { exploreView, type ExploreValue } from '../../src/views/explore/view';
import type { Model } from '../../src/viewDefinitions/draw';
import widget from '../../src/widget';
import { file, levels, press, run, snapshot, stage, timeline } from './values';

const HOSTILE = '<img src=x onerror="window.hacked = true">';

class FakeModel implements Model {
  readonly sent: unknown[] = [];
  private readonly heard = new Map<string, Set<() => void>>();

  constructor(private readonly traits: Record<string, unknown>) {}

  get(name: string): unknown {
    return this.traits[name];
  }

  on(name: string, heard: () => void): void {
    this.heard.set(name, (this.heard.get(name) ?? new Set()).add(heard));
  }

  off(name: string, heard: () => void): void {
    this.heard.get(name)?.delete(heard);
  }

  send(event: unknown): void {
    this.sent.push(event);
  }

  set(name: string, value: unknown): void {
    this.traits[name] = value;
    this.heard.get(`change:${name}`)?.forEach(heard => heard());
  }

  get listeners(): number {
    return [...this.heard.values()].reduce((sum, all) => sum + all.size, 0);
  }
}

function draw(traits: Record<string, unknown>) {
  document.body.innerHTML = '';
  const el = document.createElement('div');
  document.body.append(el);
  const model = new FakeModel({ value: null, zone: 'UTC', ...traits });
  return { el, model, end: widget.render({ model, el }) };
}

describe('the widget', () => {
  it('draws levels, follows the value and sends events', () => {
    const { el, model, end } = draw({ kind: 'levels' });
    model.set('value', levels([run(0, file('one'))]));
    el.querySelector<HTMLElement>('[data-file]')!.click();
    expect(model.sent).toEqual([{ kind: 'select-file', name: 'one' }]);
    model.set('value', levels([run(0, file('two'))], { snapshot: '13' }));
    expect(el.querySelector<HTMLElement>('[data-file]')!.dataset.file).toBe(
      'two'
    );
    end();
    expect(model.listeners).toBe(0);
    expect(el.querySelector('.pwv-levels')).toBeNull();
  });

  it('draws a timeline with its selection', () => {
    const value = timeline([snapshot('1'), snapshot('2')]);
    const { el, model } = draw({ kind: 'timeline', value, selected: '1' });
    const selected = () =>
      el.querySelector<HTMLElement>('[data-snapshot][aria-selected=true]')
        ?.dataset.snapshot;
    expect(selected()).toBe('1');
    model.set('selected', '2');
    expect(selected()).toBe('2');
  });

  it('tells times in another zone when it changes', () => {
    const value = levels([run(0, file('one'))]);
    const { el, model } = draw({ kind: 'levels', value });
    model.set('zone', 'Europe/Berlin');
    el.querySelector<HTMLElement>('[data-file]')!.focus();
    expect(el.textContent).toContain('17:53:20 Europe/Berlin');
    expect(el.querySelectorAll('.pwv-levels')).toHaveLength(1);
  });

  it('shows an error as text above the last picture, until it is over', () => {
    const value = levels([run(0, file('one'))]);
    const { el, model } = draw({ kind: 'levels', value });
    model.set('error', { code: 'X', message: HOSTILE, hint: 'Try again.' });
    const alert = el.querySelector('[role=alert]')!;
    expect(alert.textContent).toContain(HOSTILE);
    expect(alert.textContent).toContain('Try again.');
    expect(el.querySelector('[data-file]')).not.toBeNull();
    model.set('error', null);
    expect(el.querySelector('[role=alert]')).toBeNull();
  });

  it('draws the view that its picture has opened below it, and closes it', () => {
    const value = timeline([snapshot('1'), snapshot('2')]);
    const { el, model, end } = draw({ kind: 'timeline', value });
    const opened = {
      kind: 'levels',
      value: levels([run(0, file('one'))]),
      zone: 'UTC',
      selected: null,
      error: null,
      opened: null
    };
    model.set('opened', opened);
    const close = el.querySelector<HTMLElement>('.pwv-close')!;
    expect(document.activeElement).toBe(close);
    expect(el.querySelectorAll('.pwv-timeline')).toHaveLength(1);
    el.querySelector<HTMLElement>('.pwv-opened [data-file]')!.click();
    close.click();
    expect(model.sent).toEqual([
      { kind: 'opened', event: { kind: 'select-file', name: 'one' } },
      { kind: 'close-opened' }
    ]);
    model.set('opened', { ...opened, value: levels([run(0, file('two'))]) });
    expect(
      el.querySelector<HTMLElement>('.pwv-opened [data-file]')!.dataset.file
    ).toBe('two');
    model.set('opened', { ...opened, kind: 'timeline', value });
    expect(el.querySelectorAll('.pwv-timeline')).toHaveLength(2);
    model.set('opened', null);
    expect(el.querySelector('.pwv-opened')).toBeNull();
    expect(document.activeElement?.closest('.pwv-timeline')).not.toBeNull();
    model.set('opened', opened);
    end();
    expect(model.listeners).toBe(0);
    expect(el.querySelector('.pwv')).toBeNull();
  });

  it('refuses a kind that it does not know', () => {
    expect(() => draw({ kind: 'other' })).toThrow("There is no view 'other'.");
  });
});

describe('the explorer', () => {
  const value: ExploreValue = {
    catalog: 'demo',
    databases: [
      { name: 'shop', tables: ['items', HOSTILE] },
      { name: 'logs', tables: null },
      { name: 'void', tables: [] }
    ],
    open: null
  };
  let shown: ReturnType<typeof open>;
  const open = () => stage(exploreView);
  const items = () =>
    [...shown.root.querySelectorAll<HTMLElement>('[role=treeitem]')].map(item =>
      item.textContent!.trim()
    );
  const item = (name: string) =>
    [...shown.root.querySelectorAll<HTMLElement>('[role=treeitem]')].find(
      found => found.textContent!.trim() === name
    )!;

  beforeEach(() => {
    shown = open();
    shown.update(value);
  });

  it('opens databases and tables by mouse', () => {
    expect(items()).toEqual(['shop', 'logs', 'void']);
    item('shop').click();
    expect(items()).toEqual(['shop', 'items', HOSTILE, 'logs', 'void']);
    expect(shown.root.querySelector('img')).toBeNull();
    item(HOSTILE).click();
    item('logs').click();
    expect(shown.events).toEqual([
      { kind: 'open-table', name: `shop.${HOSTILE}` },
      { kind: 'open-database', name: 'logs' }
    ]);
    expect(shown.root.textContent).toContain('Loading…');
    item('void').click();
    expect(shown.root.textContent).toContain('no tables');
  });

  it('is walked by keys alone', () => {
    item('shop').focus();
    const path = [];
    for (const key of [
      'ArrowRight',
      'ArrowRight',
      'ArrowDown',
      'ArrowLeft',
      'v',
      'Home',
      'End',
      'l'
    ]) {
      press(key);
      path.push(document.activeElement!.textContent!.trim());
    }
    expect(path).toEqual([
      'shop',
      'items',
      HOSTILE,
      'shop',
      'void',
      'shop',
      'void',
      'logs'
    ]);
    press('Home');
    press('ArrowDown');
    press('Enter');
    expect(shown.events).toEqual([{ kind: 'open-table', name: 'shop.items' }]);
    press('ArrowUp');
    press('ArrowLeft');
    expect(items()).toEqual(['shop', 'logs', 'void']);
    expect(document.activeElement).toBe(item('shop'));
  });

  it('shows the open table with its pictures and passes their events on', () => {
    shown.update({
      ...value,
      open: {
        table: 'shop.items',
        summary: null,
        levels: levels([run(0, file('one'))]),
        timeline: timeline([snapshot('1')]),
        error: null
      }
    });
    expect(item('items').getAttribute('aria-selected')).toBe('true');
    shown.root.querySelector<HTMLElement>('[data-file]')!.click();
    shown.root.querySelector<HTMLElement>('[data-snapshot]')!.click();
    expect(shown.events).toEqual([
      { kind: 'select-file', name: 'one' },
      { kind: 'select-snapshot', id: '1' }
    ]);
    shown.update(value);
    expect(shown.root.querySelector('[data-file]')).toBeNull();
    expect(shown.root.textContent).toContain('Select a table');
  });

  it('says why a table cannot be shown', () => {
    const error = {
      code: 'CorruptFile',
      message: `Broken ${HOSTILE}`,
      hint: null,
      file: null
    };
    shown.update({
      ...value,
      open: {
        table: 'shop.items',
        summary: null,
        levels: null,
        timeline: null,
        error
      }
    });
    expect(shown.root.querySelector('[role=alert]')!.textContent).toContain(
      `Broken ${HOSTILE}`
    );
  });
});
