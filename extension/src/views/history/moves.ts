import type { Mark } from './marks';
import { binAt, type Series } from './series';

const PAGE = 10;
const STEPS: Record<string, number | undefined> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -PAGE,
  PageDown: PAGE,
  Home: -Infinity,
  End: Infinity
};
const LANES: Record<string, number | undefined> = { ArrowUp: -1, ArrowDown: 1 };

/** Return the position of the snapshot that a key moves to, or null if the key does not move. */
export function stepFrom(
  position: number,
  key: string,
  series: Series,
  drawn: readonly Mark[]
): number | null {
  const step = STEPS[key];
  if (step !== undefined) {
    return stepped(position, step, series);
  }
  const lanes = LANES[key];
  return lanes === undefined
    ? null
    : (nearestInLane(position, lanes, series, drawn) ?? position);
}

function stepped(position: number, step: number, series: Series): number {
  const { start, end, ends } = series;
  const isClosed = ends.length < end - start + 1;
  const areSingle = series.counts.every(counts => counts.every(n => n <= 1));
  if (isClosed && areSingle) {
    // Some ids between snapshots do not exist, so step from bin to bin.
    const bin = Math.min(
      Math.max(binAt(series, position) + step, 0),
      ends.length - 1
    );
    return ends[bin];
  }
  return Math.min(Math.max(position + step, start), end);
}

/** Return the nearest drawn snapshot in the next lane above or below. */
function nearestInLane(
  position: number,
  step: number,
  { lanes }: Series,
  drawn: readonly Mark[]
): number | null {
  const from = drawn.find(mark => mark.position === position);
  const lane = lanes[lanes.indexOf(from?.kind ?? '') + step];
  let best: number | null = null;
  for (const mark of drawn) {
    if (
      mark.kind === lane &&
      (best === null ||
        Math.abs(mark.position - position) < Math.abs(best - position))
    ) {
      best = mark.position;
    }
  }
  return best;
}
