import type { Texts } from '../texts';
import type { Scale, Spacing } from './scale';
import { binAt, type Series } from './series';

/** A tick of the axis: its x coordinate, a clock time, and a date if a new day begins there. */
export interface Tick {
  readonly x: number;
  readonly label: string;
  readonly date: string | null;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map(count => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map(count => count * MINUTE),
  ...[1, 2, 3, 6, 12].map(count => count * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364, 728, 1820].map(count => count * DAY)
];
/** The width of a label in pixels. */
const LABEL_WIDTH = 76;

/** Return the labels of an axis in the time zone of the texts. */
export function ticksOf(
  scale: Scale,
  spacing: Spacing,
  series: Series,
  texts: Texts
): Tick[] {
  return spacing === 'time'
    ? clockTicks(scale, texts)
    : snapshotTicks(scale, series, texts);
}

/** Return ticks at round times: full minutes, hours or days of the wall clock. */
function clockTicks(scale: Scale, texts: Texts): Tick[] {
  const { from, to } = scale.range;
  if (!Number.isFinite(from + to)) {
    return [];
  }
  const least = ((to - from) / scale.width) * LABEL_WIDTH;
  const step = STEPS.find(each => each >= least) ?? STEPS[STEPS.length - 1];
  const ticks: Tick[] = [];
  let day = '';
  let wall = Math.ceil((from + texts.offset(from)) / step) * step;
  for (;;) {
    // The offset of the zone may change between two ticks.
    const guess = wall - texts.offset(wall);
    const time = wall - texts.offset(guess);
    wall += step;
    if (time > to) {
      return ticks;
    }
    if (time >= from) {
      const tick = tickAt(scale.x(time), time, step, day, texts);
      day = tick.date ?? day;
      ticks.push(tick);
    }
  }
}

function tickAt(
  x: number,
  time: number,
  step: number,
  day: string,
  texts: Texts
): Tick {
  const [date, clock] = texts.time(String(time)).split(' ');
  const label = step >= DAY ? '' : step >= MINUTE ? clock.slice(0, 5) : clock;
  return { x, label, date: date === day ? null : date };
}

/** Return ticks with the times of snapshots, each exactly below its snapshot. */
function snapshotTicks(scale: Scale, series: Series, texts: Texts): Tick[] {
  const { from, to } = scale.range;
  const least = ((to - from) / scale.width) * LABEL_WIDTH;
  const step = Math.max(1, roundStep(least));
  const first = Math.max(Math.ceil(from / step) * step, series.start);
  const ticks: Tick[] = [];
  let day = '';
  for (
    let position = Math.ceil(first / step) * step;
    position <= Math.min(to, series.end);
    position += step
  ) {
    const bin = binAt(series, position);
    // Only the newest snapshot of a bin has a known time.
    const at = series.ends[bin];
    const time = series.times[bin];
    const x = scale.x(at);
    const previous = ticks[ticks.length - 1];
    if (
      x < 0 ||
      Number.isNaN(time) ||
      (previous && x - previous.x < LABEL_WIDTH)
    ) {
      continue;
    }
    const tick = tickAt(x, time, SECOND, day, texts);
    day = tick.date ?? day;
    ticks.push(tick);
  }
  return ticks;
}

/** Return the next of the numbers 1, 2, 5, 10, 20, 50 … */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  const step = [1, 2, 5, 10].find(each => each * power >= least) ?? 10;
  return step * power;
}
