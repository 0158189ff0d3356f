import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HistoryMark, HistoryValue, Int64 } from '../../src/contract';
import { flagsOf } from '../../src/views/history/flags';
import { boundsOf, piecesOf } from '../../src/views/history/painter';
import {
  MARGIN_PIXELS,
  Scale,
  snapshotsIn,
  wholeRange,
  within
} from '../../src/views/history/scale';
import {
  binAt,
  pinsOf,
  Positions,
  seriesOf,
  seriesOfTimeline,
  type Series
} from '../../src/views/history/series';
import { ticksOf } from '../../src/views/history/ticks';
import { Viewport } from '../../src/views/history/viewport';
import type { TableRead } from '../../src/views/stage';
import { Texts } from '../../src/views/texts';
import { timelineView } from '../../src/views/history/timeline';
import { press, snapshot, stage, timeline } from './values';

const HOUR = 3_600_000;
const BEGIN = Date.UTC(2026, 9, 24, 20);
const positions = new Positions('1');

/** The answer of a server for snapshots that were committed every ten minutes. */
function history(
  start: number,
  end: number,
  bins: number,
  facts: Partial<HistoryValue> = {}
): HistoryValue {
  const count = end - start + 1;
  const number = Math.min(bins, count);
  const ends = Array.from(
    { length: number },
    (_, at) => start + Math.floor(((at + 1) * count) / number) - 1
  );
  const sizes = ends.map((each, at) => each - (at ? ends[at - 1] : start - 1));
  const texts = (of: (id: number) => number | null): Int64[] =>
    ends.map(each => String(of(each)));
  return {
    table: 'shop.orders',
    zone: 'UTC',
    first: '1',
    last: '100000',
    start: String(start),
    end: String(end),
    since_millis: String(timeOf(start)),
    total: String(count),
    read: String(count),
    complete: true,
    bins: {
      ids: texts(id => id),
      times: texts(timeOf),
      rows: texts(id => id * 10),
      added: texts(() => 10),
      appends: sizes.map(size => (size > 1 ? size - 1 : size)),
      compacts: sizes.map(size => (size > 1 ? 1 : 0)),
      overwrites: ends.map(() => 0),
      analyzes: ends.map(() => 0),
      files: ends.map((_, at) => (at % 3 === 0 ? '4' : null)),
      bytes: ends.map(() => null),
      runs: ends.map(() => 2)
    },
    marks: [],
    ...facts
  };
}

function timeOf(id: number): number {
  return BEGIN + (id * HOUR) / 6;
}

const whole = (): Series => seriesOf(history(1, 1000, 100), positions)!;

describe('positions', () => {
  it('are exact for ids that a number cannot hold', () => {
    const far = new Positions('9223372036854775000');
    expect(far.of('9223372036854775007')).toBe(7);
    expect(far.id(7)).toBe('9223372036854775007');
    expect(positions.of('12')).toBe(12);
  });
});

describe('a series', () => {
  it('has a lane for each kind that there is', () => {
    expect(whole().lanes).toEqual(['APPEND', 'COMPACT']);
    expect(seriesOf(history(1, 5, 10), positions)!.lanes).toEqual(['APPEND']);
  });

  it('finds the bin of a snapshot', () => {
    expect(binAt(whole(), 1)).toBe(0);
    expect(binAt(whole(), 11)).toBe(1);
    expect(binAt(whole(), 5000)).toBe(99);
  });

  it('never goes back in time', () => {
    const late = [snapshot('1'), snapshot('2', { time_millis: '5' })];
    const series = seriesOfTimeline(timeline(late), positions)!;
    expect(series.times[1]).toBe(series.times[0]);
  });
});

describe('the axis', () => {
  it('has room for the marks at both ends', () => {
    const scale = new Scale({ from: 1, to: 11 }, 556);
    expect([scale.x(1), scale.x(11)]).toEqual([MARGIN_PIXELS, 528]);
    expect(scale.place(scale.x(7))).toBeCloseTo(7);
  });

  it('does not stretch a few snapshots over the whole page', () => {
    const few = seriesOf(history(1, 3, 10), positions)!;
    const { from, to } = wholeRange(few, 'snapshot', 960);
    expect([from, to]).toEqual([1, 10]);
  });

  it('ends where the history ends', () => {
    const all = wholeRange(whole(), 'snapshot', 800);
    expect(within({ from: 990, to: 1090 }, all, 'snapshot')).toEqual({
      from: 900,
      to: 1000
    });
    expect(within({ from: -1e9, to: 1e9 }, all, 'snapshot')).toEqual(all);
    expect(within({ from: 5, to: 5 }, all, 'snapshot')).toEqual({
      from: 3,
      to: 7
    });
  });

  it('tells the snapshots in a range of time', () => {
    const range = { from: timeOf(100), to: timeOf(200) };
    expect(snapshotsIn(whole(), 'time', range)).toEqual([91, 200]);
  });
});

describe('ticks', () => {
  const texts = new Texts({}, 'Europe/Berlin');

  it('are round times of the zone, with a date where a day begins', () => {
    // The clock goes back at 03:00 on October 25.
    const scale = new Scale({ from: BEGIN, to: BEGIN + 8 * HOUR }, 800);
    const ticks = ticksOf(scale, 'time', whole(), texts);
    const labels = ticks.map(tick => tick.label);
    expect(labels).toEqual([
      '22:00',
      '23:00',
      '00:00',
      '01:00',
      '02:00',
      '03:00',
      '04:00',
      '05:00'
    ]);
    expect(ticks.map(tick => tick.date).filter(Boolean)).toEqual([
      '2026-10-24',
      '2026-10-25'
    ]);
    const [, , , one, , three] = ticks.map(tick => tick.x);
    expect(scale.distance(three - one)).toBeCloseTo(3 * HOUR);
  });

  it('are days and years in long histories', () => {
    const year = 365 * 24 * HOUR;
    const scale = new Scale({ from: BEGIN, to: BEGIN + 3 * year }, 900);
    const ticks = ticksOf(scale, 'time', whole(), texts);
    expect(ticks.length).toBeLessThan(14);
    expect(ticks.every(({ label, date }) => label === '' && date)).toBe(true);
  });

  it('are exactly below snapshots if these are evenly spaced', () => {
    const series = seriesOf(history(1, 100, 100), positions)!;
    const scale = new Scale({ from: 1, to: 30 }, 800);
    const ticks = ticksOf(scale, 'snapshot', series, texts);
    const places = ticks.map(tick => scale.place(tick.x));
    expect(places.every(each => Math.abs(each - Math.round(each)) < 1e-9)).toBe(
      true
    );
    expect(ticks[1].x - ticks[0].x).toBeGreaterThan(70);
    expect(ticks[0].label).toMatch(/^\d\d:\d\d:00$/);
  });
});

describe('flags', () => {
  const texts = new Texts({}, 'UTC');
  const scale = new Scale({ from: 1, to: 1000 }, 800);
  const mark = (
    name: string,
    id: number,
    facts: Partial<HistoryMark> = {}
  ) => ({
    kind: 'tag' as const,
    name,
    snapshot: String(id),
    time_millis: String(timeOf(id)),
    ...facts
  });
  const flags = (...marks: HistoryMark[]) =>
    flagsOf(pinsOf(marks, positions), whole(), 'snapshot', scale, texts);

  it('do not cover each other; without room, they have no name', () => {
    const names = ['a-long-name', 'another', 'third', 'fourth'];
    const found = flags(...names.map(name => mark(name, 500)));
    expect(found.map(flag => flag.line)).toEqual([0, 1, 2, null]);
  });

  it('extend to the left at the end of the axis', () => {
    const found = flags(mark('early', 5), mark('a-long-name', 995));
    expect(found.map(flag => flag.left)).toEqual([false, true]);
  });

  it('are not drawn for snapshots that the table no longer has', () => {
    expect(flags(mark('old', 1, { time_millis: null }))).toEqual([]);
  });

  it('show a consumer that waits at the newest snapshot', () => {
    const waiting = { kind: 'consumer' as const, time_millis: null };
    const [flag] = flags(mark('reader', 1001, waiting));
    expect(flag.x).toBe(scale.x(1000));
  });
});

describe('pieces', () => {
  it('are fine where fine bins are read, and coarse elsewhere', () => {
    const part = seriesOf(history(400, 600, 1000), positions)!;
    const found = piecesOf(whole(), part, 350, 650);
    expect(found.map(({ series }) => series === part)).toEqual([
      false,
      true,
      false
    ]);
    expect(found[1].to - found[1].from).toBe(201);
    expect(boundsOf(found, 'rows')).toEqual({ least: 3400, most: 6500 });
    expect(boundsOf(found, 'bytes')).toBeNull();
  });
});

describe('the part in sight', () => {
  const opened = (at: number | null) => {
    const viewport = new Viewport();
    viewport.fit(whole(), null, 800, at);
    return viewport;
  };

  it('is around the selected snapshot', () => {
    const { from, to } = opened(500).range;
    expect([from + to, Math.round(to - from)]).toEqual([1000, 22]);
    expect(opened(null).range.to).toBe(1000);
  });

  it('follows the newest snapshot only if it was in sight', () => {
    const grown = seriesOf(history(1, 1010, 100), positions)!;
    const end = opened(null);
    end.hold();
    end.fit(grown, null, 800, null);
    expect(end.range.to).toBe(1010);
    const middle = opened(500);
    middle.hold();
    const { range } = middle;
    middle.fit(grown, null, 800, 500);
    expect(middle.range).toEqual(range);
  });

  it('zooms around a snapshot, and keeps it when distances change', () => {
    const viewport = opened(500);
    viewport.zoom(2, 500);
    expect(Math.round(viewport.range.to - viewport.range.from)).toBe(44);
    viewport.respace('time');
    expect(viewport.range.from).toBeLessThan(timeOf(500));
    expect(viewport.range.to).toBeGreaterThanOrEqual(timeOf(500));
    viewport.respace('snapshot');
    expect(viewport.snapshots[0]).toBeLessThanOrEqual(500);
    expect(viewport.snapshots[1]).toBeGreaterThanOrEqual(500);
  });
});

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
    expect(shown.root.textContent).toContain(
      '3,000 of 100,000 snapshots are read'
    );
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
