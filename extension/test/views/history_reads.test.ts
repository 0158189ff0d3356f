import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Int64 } from '../../src/contract';
import type { TableRead } from '../../src/views/stage';
import { timelineView } from '../../src/views/history/timeline';
import { history } from './history_values';
import { press, snapshot, stage, timeline } from './values';

describe('a timeline with a server', () => {
  let asked: string[];
  let answers: number;

  const read = (async (endpoint: string, request: Record<string, unknown>) => {
    asked.push(endpoint);
    answers += 1;
    const { start, end } = request as { start?: Int64; end?: Int64 };
    if (endpoint === 'snapshots') {
      const ids = [];
      for (let id = Number(end); id >= Number(start); id -= 1) {
        ids.push(snapshot(String(id), { statement: `statement ${id}` }));
      }
      return { table: 'shop.orders', zone: 'UTC', snapshots: ids };
    }
    if (endpoint === 'snapshot_search') {
      const hit = {
        id: '70000',
        kind: 'APPEND',
        time_millis: '0',
        field: 'user',
        text: 'ann'
      };
      const searched = answers > 3 ? '100000' : '5000';
      return { hits: [hit], found: 1, total: '100000', read: searched };
    }
    const complete = answers > 2 || start !== undefined;
    return history(Number(start ?? 1), Number(end ?? 100_000), 1000, {
      complete,
      read: complete ? '100000' : '3000'
    });
  }) as unknown as TableRead;

  const newest = timeline(
    Array.from({ length: 200 }, (_, at) => snapshot(String(99_801 + at))),
    { total: 100_000, next: '99801' }
  );
  const open = () =>
    stage((element, host) => timelineView(element, { ...host, read }));
  let shown: ReturnType<typeof open>;
  const facts = () => shown.root.querySelector('.pwv-part-facts')!.textContent;
  const mark = (id: string) =>
    shown.root.querySelector<HTMLElement>(`[data-snapshot="${id}"]`);

  beforeEach(() => {
    vi.useFakeTimers();
    asked = [];
    answers = 0;
    shown = open();
  });

  afterEach(() => {
    shown.dispose();
    vi.useRealTimers();
  });

  const settle = () => vi.advanceTimersByTimeAsync(500);

  it('reads the history until it is complete, and says how far it is', async () => {
    shown.update({ timeline: newest, selected: '100000' });
    await vi.advanceTimersByTimeAsync(20);
    expect(shown.root.textContent).toContain('3,000 of 100,000 snapshots read');
    await settle();
    expect(shown.root.textContent).not.toContain('are read');
    expect(shown.root.querySelector('.pwv-map [role=img]')).not.toBeNull();
  });

  it('opens at the selected snapshot with its facts', async () => {
    shown.update({ timeline: newest, selected: '5000' });
    await settle();
    expect(facts()).toContain('statement 5000');
    expect(mark('5000')?.getAttribute('aria-selected')).toBe('true');
    expect(mark('4995')).not.toBeNull();
    expect(mark('100000')).toBeNull();
  });

  it('goes from snapshot to snapshot beyond what was read first', async () => {
    shown.update({ timeline: newest, selected: '5000' });
    await settle();
    mark('5000')!.focus();
    press('ArrowLeft');
    await settle();
    expect(document.activeElement).toBe(mark('4999'));
    press('Home');
    await settle();
    expect(document.activeElement).toBe(mark('1'));
    expect(facts()).toContain('statement 1');
    press('End');
    await settle();
    expect(document.activeElement).toBe(mark('100000'));
    press('-');
    await settle();
    expect(document.activeElement).toBe(mark('100000'));
  });

  it('lists the snapshots in sight as a table', async () => {
    shown.update({ timeline: newest, selected: '5000' });
    await settle();
    const details = shown.root.querySelector('details')!;
    details.open = true;
    details.dispatchEvent(new Event('toggle'));
    await settle();
    const [id] = shown.root.querySelector('tbody tr')!.children;
    expect(Number(id.textContent)).toBeGreaterThan(5000);
    expect(Number(id.textContent)).toBeLessThan(5100);
  });

  it('searches until everything was searched', async () => {
    shown.update({ timeline: newest, selected: null });
    await settle();
    answers = 0;
    const field = shown.root.querySelector<HTMLInputElement>('[type=search]')!;
    field.value = 'ann';
    field.dispatchEvent(new Event('input'));
    await vi.advanceTimersByTimeAsync(210);
    expect(shown.root.textContent).toContain('5,000 of 100,000');
    await settle();
    expect(asked.filter(each => each === 'snapshot_search').length).toBe(4);
    field.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })
    );
    expect(shown.events).toEqual([{ kind: 'select-snapshot', id: '70000' }]);
    await settle();
    expect(mark('70000')).not.toBeNull();
  });
});
