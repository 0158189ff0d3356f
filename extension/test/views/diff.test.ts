import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DiffValue } from '../../src/contract';
import { CHANGES } from '../../src/viewDefinitions/changes';
import { diffView } from '../../src/views/diff/picture';
import { timelineView } from '../../src/views/history/timeline';
import { press, snapshot, stage, timeline } from './values';

const HOSTILE = '<img src=x onerror="window.hacked = true">';

const end = (ref: string, text: string) => ({
  table: 'shop.orders',
  ref,
  text,
  snapshot: ref.split(':')[1],
  time_millis: null
});

const counts = {
  inserted: '9007199254740993',
  updated: '2',
  deleted: '0',
  kinds: [],
  columns: [
    { name: 'qty', rows: '2' },
    { name: HOSTILE, rows: '1' }
  ],
  partitions: [
    { partition: HOSTILE, inserted: '3', updated: '2', deleted: '0' }
  ],
  partition_total: '4',
  complete: true,
  counted: 3,
  parts: 3
};

const page = {
  columns: [
    { name: 'id', type: 'BIGINT', number: true, role: 'primary key' },
    { name: HOSTILE, type: 'STRING', number: false, role: '' }
  ],
  start: 0,
  limit: 3,
  rows: [
    { kind: '+U', before: ['1', HOSTILE], after: ['1', null], changed: [1] },
    { kind: '+I', before: null, after: ['2', 'new'], changed: [] },
    { kind: '-D', before: ['3', null], after: null, changed: [] }
  ],
  state: 'more',
  zone: 'UTC'
};

const diff = (facts: Partial<DiffValue> = {}): DiffValue => ({
  table: 'shop.orders',
  kind: 'primary-key',
  before: end('snapshot:3', 'snapshot 3'),
  after: end('tag:v1', 'tag v1, snapshot 7'),
  mode: 'diff',
  requested: 'diff',
  source: 'Both states compared.',
  notes: [HOSTILE],
  partition_keys: ['dt'],
  schema: [{ kind: 'added', text: `added ${HOSTILE}`, field_id: 4 }],
  files: null,
  refs: [{ kind: 'tag', name: HOSTILE, snapshot: '5' }],
  choices: [end('snapshot:3', 'snapshot 3'), end('tag:v1', 'tag v1')],
  filter: { kind: '', column: '', partition: '', where: '' },
  counts,
  page,
  rows_error: null,
  ...facts
});

let shown: ReturnType<typeof open>;
const open = () => stage(diffView);
const part = (name: string) =>
  shown.root.querySelector<HTMLElement>(`.pwv-part-${name}`)!;
const bar = (what: string, value: string) =>
  [...shown.root.querySelectorAll<HTMLElement>(`[data-filter="${what}"]`)].find(
    each => each.dataset.value === value
  )!;

describe('a comparison in a notebook', () => {
  beforeEach(() => {
    shown = open();
    shown.update({ diff: diff(), isChosen: false });
  });

  it('shows counts beyond what a number holds', () => {
    expect(bar('kind', 'inserted').textContent).toContain(
      '9,007,199,254,740,993'
    );
    expect(part('counts').textContent).toContain('3 more partitions');
  });

  it('marks changed cells, with the value before', () => {
    const [updated, inserted, deleted] =
      part('rows').querySelectorAll('tbody tr');
    expect(updated.querySelector('del')!.textContent).toBe(HOSTILE);
    expect(updated.querySelector('ins')!.textContent).toBe('NULL');
    expect(inserted.textContent).toContain('+I');
    expect(deleted.textContent).toContain('-D');
  });

  it('opens the biography of a row, by one tab stop and arrow keys', () => {
    const buttons = () => [
      ...shown.root.querySelectorAll<HTMLElement>('[data-row]')
    ];
    expect(buttons().map(each => each.tabIndex)).toEqual([0, -1, -1]);
    buttons()[0].focus();
    press('ArrowDown');
    press('ArrowDown');
    expect(document.activeElement).toBe(buttons()[2]);
    buttons()[2].click();
    expect(shown.events).toEqual([{ kind: 'show-row', key: { id: '3' } }]);
  });

  it('has no biographies of rows of branches, and of rows without a key', () => {
    const before = end('branch:dev', 'branch dev');
    shown.update({ diff: diff({ before }), isChosen: false });
    expect(shown.root.querySelector('[data-row]')).toBeNull();
    const columns = page.columns.map(each => ({ ...each, role: '' }));
    const value = diff({ page: { ...page, columns } });
    shown.update({ diff: value, isChosen: false });
    expect(shown.root.querySelector('[data-row]')).toBeNull();
  });

  it('shows hostile names as text', () => {
    expect(shown.root.querySelector('img')).toBeNull();
    expect(part('head').textContent).toContain(HOSTILE);
    expect(part('meta').textContent).toContain(HOSTILE);
  });

  it('asks the kernel for the rows of a filter, and for all again', () => {
    bar('column', HOSTILE).click();
    const filter = { kind: '', column: HOSTILE, partition: '', where: '' };
    expect(shown.events).toEqual([{ kind: 'filter', filter }]);
    shown.update({ diff: diff({ filter }), isChosen: false });
    expect(bar('column', HOSTILE).getAttribute('aria-pressed')).toBe('true');
    bar('column', HOSTILE).click();
    expect(shown.events[1]).toEqual({
      kind: 'filter',
      filter: { ...filter, column: '' }
    });
  });

  it('goes back by a whole page from a short last one', () => {
    const last = { ...page, start: 6, rows: page.rows.slice(0, 1) };
    shown.update({ diff: diff({ page: last }), isChosen: false });
    const previous = part('rows').querySelector('[data-focus="page:Previous"]');
    expect(previous?.getAttribute('data-start')).toBe('3');
  });

  it('asks for the next page, and for other versions', () => {
    part('rows').querySelector<HTMLElement>('[data-start="3"]')!.click();
    expect(shown.events[0]).toEqual({ kind: 'page', start: 3 });
    const select = part('head').querySelector<HTMLSelectElement>(
      '[data-choice="after"]'
    )!;
    select.value = 'snapshot:3';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    expect(shown.events[1]).toEqual({
      kind: 'compare',
      before: 'snapshot:3',
      after: 'snapshot:3'
    });
  });

  it('says why rows cannot be compared', () => {
    const rows_error = {
      code: 'unsupported',
      message: HOSTILE,
      hint: null,
      file: null
    };
    const value = diff({ counts: null, page: null, rows_error });
    shown.update({ diff: value, isChosen: false });
    expect(part('counts').querySelector('[role=alert]')!.textContent).toContain(
      HOSTILE
    );
  });
});

describe('a comparison in a page', () => {
  afterEach(() => vi.restoreAllMocks());

  it('reads counts and rows, and stops counting', async () => {
    const signals: AbortSignal[] = [];
    const read = vi.fn((endpoint: string, _request, signal: AbortSignal) => {
      signals.push(signal);
      return endpoint === 'diff_rows'
        ? Promise.resolve(page)
        : new Promise(() => {});
    });
    const element = document.createElement('div');
    document.body.append(element);
    const view = diffView(element, { emit: vi.fn(), read: read as never });
    view.update({
      diff: diff({ counts: null, page: null }),
      isChosen: true
    });
    await vi.waitFor(() =>
      expect(element.querySelectorAll('tbody tr').length).toBeGreaterThan(0)
    );
    expect(read.mock.calls.map(([endpoint]) => endpoint)).toEqual([
      'diff_counts',
      'diff_rows'
    ]);
    expect(read.mock.calls[0][1]).toMatchObject({
      before: 'snapshot:3',
      after: 'tag:v1',
      mode: 'diff'
    });
    element.querySelector<HTMLElement>('[data-stop]')!.click();
    expect(signals[0].aborted).toBe(true);
    expect(element.textContent).toContain('Counting was stopped.');
    view.dispose();
  });
});

describe('a count that takes long', () => {
  const open = (answers: readonly object[]) => {
    const left = [...answers];
    const read = vi.fn((endpoint: string, _request, signal: AbortSignal) =>
      endpoint === 'diff_rows'
        ? Promise.resolve(page)
        : new Promise((resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
            if (left.length > 0) {
              resolve({ ...counts, ...left.shift() });
            }
          })
    );
    const element = document.createElement('div');
    document.body.append(element);
    const host = { emit: vi.fn(), read: read as never };
    const view = diffView(element, host);
    const value = diff({ counts: null, page: null });
    view.update({ diff: value, isChosen: true });
    const asked = () =>
      read.mock.calls
        .filter(([endpoint]) => endpoint === 'diff_counts')
        .map(([, request]) => request.counted);
    return { element, asked };
  };
  const part = (counted: number) => ({
    complete: false,
    counted,
    parts: 20_000
  });

  it('shows its progress and what was counted until then', async () => {
    const { element, asked } = open([part(700), part(1500)]);
    await vi.waitFor(() => expect(asked()).toEqual([0, 700, 1500]));
    await vi.waitFor(() =>
      expect(element.textContent).toContain('1,500 of 20,000 parts counted…')
    );
    const { value, max } = element.querySelector('progress')!;
    expect([value, max]).toEqual([1500, 20_000]);
    expect(element.querySelector('[data-value=updated] b')!.textContent).toBe(
      '2'
    );
  });

  it('can be stopped, and begun again', async () => {
    const { element, asked } = open([part(700)]);
    await vi.waitFor(() => expect(asked()).toEqual([0, 700]));
    element.querySelector<HTMLElement>('[data-stop]')!.click();
    expect(element.querySelector('progress')).toBeNull();
    expect(element.textContent).toContain(
      'Counting was stopped: these are the changes in 700 of 20,000 parts.'
    );
    element.querySelector<HTMLElement>('[data-count]')!.click();
    expect(asked()).toEqual([0, 700, 0]);
  });

  it('ends, even if the server has forgotten the count', async () => {
    const { element, asked } = open([part(700), part(600)]);
    await vi.waitFor(() =>
      expect(element.textContent).toContain('in 600 of 20,000 parts')
    );
    expect(asked()).toEqual([0, 700]);
  });

  it('hides its progress when it is complete', async () => {
    const { element, asked } = open([part(700), {}]);
    await vi.waitFor(() => expect(asked()).toEqual([0, 700]));
    await vi.waitFor(() =>
      expect(element.querySelector('progress')).toBeNull()
    );
    expect(element.textContent).not.toContain('stopped');
  });
});

describe('the code of a comparison', () => {
  const state = (value: DiffValue) =>
    ({ parts: { diff: { status: 'ready', value, error: null } } }) as never;

  it('names snapshots, tags and branches', () => {
    const { python, cell } = CHANGES.tab!;
    expect(python!('t', state(diff()))).toBe('wb.diff(t, 3, "v1")');
    expect(cell!('shop.t', state(diff()))).toBe('%paimon diff shop.t@3..v1');
    const branch = diff({ before: end('branch:dev', 'branch dev') });
    expect(python!('t', state(branch))).toBe(
      'wb.diff(t.branch("dev"), t.at(tag="v1"))'
    );
    expect(cell!('`a b`', state(branch))).toBe(
      '%paimon diff `a b$branch_dev`..`a b`@v1'
    );
  });
});

describe('two snapshots of a timeline', () => {
  it('are compared by Shift+Enter and Shift+click', () => {
    const line = stage(timelineView);
    const history = timeline([snapshot('7'), snapshot('9')], {});
    line.update({ timeline: history, selected: '9' });
    const mark = line.root.querySelector<HTMLElement>('[data-snapshot="7"]')!;
    const keys = { key: 'Enter', shiftKey: true, bubbles: true };
    mark.dispatchEvent(new KeyboardEvent('keydown', keys));
    mark.dispatchEvent(
      new MouseEvent('click', { shiftKey: true, bubbles: true })
    );
    const compared = { kind: 'compare', before: '7', after: '9' };
    expect(line.events).toEqual([compared, compared]);
  });
});
