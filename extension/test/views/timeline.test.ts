import { beforeEach, describe, expect, it, vi } from 'vitest';
import { timelineView } from '../../src/views/history/timeline';
import {
  focusedLabel,
  press,
  snapshot,
  stage,
  tableRows,
  timeline
} from './values';

const HOSTILE = '<img src=x onerror="window.hacked = true">';

const history = [
  snapshot('7'),
  snapshot('8', { rows_added: '1000', rows_total: '9007199254740993' }),
  snapshot('9', { kind: 'COMPACT', rows_added: '-40', reason: 'five runs' }),
  snapshot('10', {
    kind: 'ANALYZE',
    rows_added: '0',
    schema_id: '1',
    tags: ['v1'],
    statement: 'ANALYZE TABLE shop.orders'
  })
];

let shown: ReturnType<typeof open>;
const open = () => stage(timelineView);
const mark = (id: string) =>
  shown.root.querySelector<HTMLElement>(`[data-snapshot="${id}"]`)!;
const ids = () =>
  [...shown.root.querySelectorAll<HTMLElement>('[data-snapshot]')].map(
    item => item.dataset.snapshot
  );
const facts = () => shown.root.querySelector('.pwv-part-facts')!.textContent!;
const news = () => shown.root.querySelector('[role=status]')!.textContent;

beforeEach(() => {
  shown = open();
});

describe('a timeline', () => {
  const tags = [
    { name: 'v1', snapshot: '10', time_millis: null, expired: false }
  ];
  beforeEach(() =>
    shown.update({ timeline: timeline(history, { tags }), selected: '9' })
  );

  it('shows snapshots from the oldest to the newest with their letters', () => {
    expect(ids()).toEqual(['7', '8', '9', '10']);
    expect(ids().map(id => mark(id!).firstChild!.textContent)).toEqual([
      'A',
      'A',
      'C',
      'N'
    ]);
  });

  it('has lanes only for the kinds that there are', () => {
    const names = shown.root.querySelector('.pwv-lane-names')!.textContent!;
    expect(names).toContain('COMPACT');
    expect(names).not.toContain('OVERWRITE');
  });

  it('tells all of the selected snapshot, and of the one with the focus', () => {
    expect(mark('9').getAttribute('aria-selected')).toBe('true');
    expect(facts()).toContain('five runs');
    mark('10').focus();
    for (const fact of [
      'ANALYZE',
      'v1',
      'schema changed here',
      'ANALYZE TABLE shop.orders',
      '2026-11-21 17:03:20 UTC',
      'a user'
    ]) {
      expect(facts()).toContain(fact);
    }
    expect(focusedLabel()).toBe(
      'Snapshot 10, ANALYZE, 2026-11-21 17:03:20 UTC. 10 upserts, 0 deletes; 1 file added. Stored rows: 100, tagged v1, schema changed here'
    );
  });

  it('has one tab stop that arrows move in time and between lanes', () => {
    const stops = shown.root.querySelectorAll('[data-snapshot][tabindex="0"]');
    expect([...stops]).toEqual([mark('9')]);
    mark('9').focus();
    const path = [];
    for (const key of [
      'ArrowLeft',
      'ArrowDown',
      'ArrowDown',
      'ArrowDown',
      'Home',
      'End'
    ]) {
      press(key);
      path.push((document.activeElement as HTMLElement).dataset.snapshot);
    }
    expect(path).toEqual(['8', '9', '10', '10', '7', '10']);
  });

  it('emits the snapshot that is chosen, by key and by mouse', () => {
    mark('8').focus();
    press(' ');
    mark('7').click();
    expect(shown.events).toEqual([
      { kind: 'select-snapshot', id: '8' },
      { kind: 'select-snapshot', id: '7' }
    ]);
  });

  it('is also a table with exact numbers, the newest first', () => {
    const rows = tableRows(shown.root, 'Snapshots');
    expect(rows.map(row => row[0])).toEqual(['10', '9', '8', '7']);
    expect(rows[2].slice(1, 5)).toEqual([
      'APPEND',
      '2026-11-21 17:01:20',
      '10 upserts, 0 deletes; 1 file added.',
      '9,007,199,254,740,993'
    ]);
  });

  it('draws by time on demand', () => {
    const select = shown.root.querySelector('select')!;
    select.value = 'time';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    expect(shown.root.querySelector('select')!.value).toBe('time');
    expect(ids()).toEqual(['7', '8', '9', '10']);
  });

  it('marks and tells a new snapshot, and keeps the focus', () => {
    mark('8').focus();
    const next = snapshot('11', { kind: 'OVERWRITE', rows_added: '5' });
    shown.update({ timeline: timeline([...history, next]), selected: '9' });
    expect(document.activeElement).toBe(mark('8'));
    expect(news()).toBe(
      'New snapshot 11: OVERWRITE. 10 upserts, 0 deletes; 1 file added.'
    );
    expect(shown.root.querySelectorAll('.pwv-new')).toHaveLength(1);
    expect(mark('11').classList.contains('pwv-new')).toBe(true);
  });

  it('takes older pages without news', () => {
    shown.update({
      timeline: timeline([snapshot('6'), ...history]),
      selected: '9'
    });
    expect(ids()[0]).toBe('6');
    expect(news()).toBe('');
  });

  it('follows the selection', () => {
    shown.update({ timeline: timeline(history), selected: '7' });
    expect(mark('7').getAttribute('aria-selected')).toBe('true');
    expect(mark('9').getAttribute('aria-selected')).toBe('false');
  });
});

describe('pages', () => {
  it('can be asked for', () => {
    const page = timeline(history, { total: 40, next: '7' });
    shown.update({ timeline: page, selected: null });
    expect(shown.root.textContent).toContain('the newest 4 of 40 snapshots');
    shown.root.querySelector<HTMLElement>('[data-more]')!.click();
    expect(shown.events).toEqual([{ kind: 'more-snapshots', cursor: '7' }]);
  });
});

describe('no snapshots', () => {
  it('are a sentence', () => {
    shown.update({ timeline: timeline([]), selected: null });
    expect(shown.root.textContent).toContain('No snapshots yet.');
    expect(shown.root.querySelector('[role=listbox]')).toBeNull();
  });
});

describe('tags', () => {
  const tag = (name: string, id: string, expired = false) => ({
    name,
    snapshot: id,
    time_millis: null,
    expired
  });

  it('are above their snapshots, others in a list', () => {
    const tags = [tag('v2', '9'), tag('old', '2', true), tag('page', '5')];
    shown.update({ timeline: timeline(history, { tags }), selected: null });
    const flags = shown.root.querySelectorAll('.pwv-flags .pwv-pin-tag');
    expect([...flags].map(flag => flag.textContent!.trim())).toEqual(['v2']);
    const list = shown.root.querySelector('.pwv-elsewhere')!.textContent;
    expect(list).toContain('old: snapshot 2, expired');
    expect(list).toContain('page: snapshot 5, earlier');
  });
});

describe('a search without a server', () => {
  it('finds snapshots of the timeline, and goes to them', () => {
    vi.useFakeTimers();
    shown.update({ timeline: timeline(history), selected: null });
    const field = shown.root.querySelector<HTMLInputElement>('[type=search]')!;
    field.value = 'analyze';
    field.dispatchEvent(new Event('input'));
    vi.runAllTimers();
    vi.useRealTimers();
    const hits = shown.root.querySelectorAll<HTMLElement>('[data-hit]');
    expect([...hits].map(hit => hit.dataset.hit)).toEqual(['10']);
    hits[0].click();
    expect(shown.events).toEqual([{ kind: 'select-snapshot', id: '10' }]);
  });
});

describe('hostile texts', () => {
  it('stay text', () => {
    const evil = snapshot('1', {
      kind: HOSTILE,
      statement: HOSTILE,
      reason: HOSTILE,
      user: HOSTILE,
      tags: [HOSTILE]
    });
    const tags = ['1', '0'].map(id => ({
      name: HOSTILE,
      snapshot: id,
      time_millis: null,
      expired: id === '0'
    }));
    shown.update({
      timeline: timeline([evil], { table: HOSTILE, tags }),
      selected: '1'
    });
    tableRows(shown.root, 'Snapshots');
    expect(shown.root.querySelector('img')).toBeNull();
    expect(facts()).toContain(HOSTILE);
  });
});
