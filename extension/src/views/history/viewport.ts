import {
  centered,
  placeOf,
  Scale,
  snapshotsIn,
  wholeRange,
  within,
  zoomed,
  type Range,
  type Spacing
} from './scale';
import { binAt, binAtTime, type Series } from './series';

/**
 * The pixels per snapshot when a long history opens, and the fewest pixels at which the whole history is shown at once.
 */
const FIRST_STEP = 36;
const LEAST_STEP = 20;
const NOTHING: Range = { from: 0, to: 1 };

/** The visible part of a history. */
export class Viewport {
  spacing: Spacing = 'snapshot';
  range: Range = NOTHING;
  private series: Series | null = null;
  private part: Series | null = null;
  private width = 1;
  /** Whether a user has chosen the part. */
  private chosen = false;

  /** Take a changed history. Unless the user has chosen a part, show the part around the snapshot `at`. */
  fit(
    series: Series,
    part: Series | null,
    width: number,
    at: number | null
  ): void {
    const before = this.series;
    const changed = before?.start !== series.start || before.end !== series.end;
    [this.series, this.part, this.width] = [series, part, width];
    if (!this.chosen && changed) {
      this.range = this.first(series, at ?? series.end);
    } else if (
      before !== null &&
      changed &&
      this.range.to >= this.endOf(before)
    ) {
      // The newest snapshot stays visible if it was visible.
      const by = this.endOf(series) - this.endOf(before);
      const { from, to } = this.range;
      this.range = { from: from + by, to: to + by };
    }
    this.range = within(this.range, this.whole, this.spacing);
  }

  /** Forget the history, because another table follows. */
  reset(): void {
    this.series = this.part = null;
    this.chosen = false;
  }

  get whole(): Range {
    const { series, spacing, width } = this;
    return series ? wholeRange(series, spacing, width) : NOTHING;
  }

  get scale(): Scale {
    return new Scale(this.range, this.width);
  }

  get mapScale(): Scale {
    return new Scale(this.whole, this.width);
  }

  /** The positions of the first and last visible snapshot. */
  get snapshots(): [number, number] {
    const { series, spacing } = this;
    return series ? snapshotsIn(series, spacing, this.scale.visible) : [0, 0];
  }

  /** Keep the visible part unchanged, regardless of the selected snapshot. */
  hold(): void {
    this.chosen = true;
  }

  show(range: Range): void {
    this.range = within(range, this.whole, this.spacing);
    this.chosen = true;
  }

  showNewest(): void {
    const { series, range } = this;
    if (series) {
      this.show(centered(range, this.endOf(series)));
    }
  }

  /** Show `factor` times as much around a snapshot, or around the middle if the snapshot is not visible. */
  zoom(factor: number, position: number | null): void {
    const { from, to } = this.range;
    const place = position === null ? null : this.placeOf(position);
    const visibleRange = place !== null && place >= from && place <= to;
    this.show(
      zoomed(this.range, factor, visibleRange ? place : (from + to) / 2)
    );
  }

  /** Move to a snapshot unless it is visible. */
  reveal(position: number): void {
    const { from, to } = this.range;
    const place = this.placeOf(position);
    if (place < from || place > to) {
      this.range = within(
        centered(this.range, place),
        this.whole,
        this.spacing
      );
    }
  }

  /** Show the same snapshots with a different spacing. */
  respace(spacing: Spacing): void {
    const { series } = this;
    if (!series) {
      return;
    }
    const [first, last] = snapshotsIn(series, this.spacing, this.range);
    this.spacing = spacing;
    this.range = within(this.around(first, last), this.whole, spacing);
  }

  /** Return the position of the snapshot that is nearest to a place on the axis. */
  snapshotAt(place: number): number {
    return this.spacing === 'time' ? this.atTime(place) : this.atStep(place);
  }

  private atTime(time: number): number {
    const { part, series } = this;
    const fine =
      part && time >= part.since && time <= part.times[part.times.length - 1];
    const best = fine ? part : series;
    if (!best) {
      return 0;
    }
    const bin = binAtTime(best, time);
    const before = Math.max(bin - 1, 0);
    const isNearer = time - best.times[before] < best.times[bin] - time;
    return best.ends[isNearer ? before : bin];
  }

  private atStep(place: number): number {
    const { series } = this;
    if (!series) {
      return 0;
    }
    const position = Math.min(
      Math.max(Math.round(place), series.start),
      series.end
    );
    const best = this.seriesAt(position);
    // A gap shows the facts of the next snapshot.
    return best && best.ends.length === best.end - best.start + 1
      ? best.ends[binAt(best, position)]
      : position;
  }

  private placeOf(position: number): number {
    const best = this.seriesAt(position);
    return best ? placeOf(best, this.spacing, position) : position;
  }

  /** Return the series with the finest bins at a position. */
  private seriesAt(position: number): Series | null {
    const { part, series } = this;
    const fine = part && position >= part.start && position <= part.end;
    return fine ? part : series;
  }

  private first(series: Series, at: number): Range {
    const count = series.end - series.start + 1;
    if (count * LEAST_STEP <= this.width) {
      return this.whole;
    }
    const reach = this.width / FIRST_STEP;
    const around = within(
      { from: at - reach / 2, to: at + reach / 2 },
      wholeRange(series, 'snapshot', this.width),
      'snapshot'
    );
    const first = Math.max(Math.ceil(around.from), series.start);
    const last = Math.min(Math.floor(around.to), series.end);
    return this.spacing === 'snapshot' ? around : this.around(first, last);
  }

  /** Return the range from one snapshot to another. */
  private around(first: number, last: number): Range {
    if (this.spacing === 'snapshot') {
      return { from: first, to: last };
    }
    const [from, to] = [this.placeOf(first), this.placeOf(last)];
    return { from, to };
  }

  private endOf(series: Series): number {
    return this.spacing === 'snapshot'
      ? series.end
      : series.times[series.times.length - 1];
  }
}
