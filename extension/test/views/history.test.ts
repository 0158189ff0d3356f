import { describe, expect, it } from 'vitest';
import type { HistoryMark } from '../../src/contract';
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
import { Texts } from '../../src/views/texts';
import { BEGIN, HOUR, history, timeOf } from './history_values';
import { snapshot, timeline } from './values';

const positions = new Positions('1');
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
