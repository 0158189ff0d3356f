import type { Palette } from './palette';
import type { Scale, Spacing } from './scale';
import { beginOf, binAt, CURVES, type Curve, type Series } from './series';

/** A canvas with the resolution of the screen. */
export class Canvas {
  readonly element: HTMLCanvasElement;
  width = 0;
  height = 0;

  constructor(document: Document) {
    this.element = document.createElement('canvas');
    this.element.setAttribute('aria-hidden', 'true');
  }

  /**
   * Return an empty drawing, sized in CSS pixels, or null if there is no canvas context, as in tests without a browser.
   */
  begin(width: number, height: number, content: Content): Drawing | null {
    const { element } = this;
    const ratio = element.ownerDocument.defaultView?.devicePixelRatio || 1;
    const [columns, lines] = [
      Math.round(width * ratio),
      Math.round(height * ratio)
    ];
    if (element.width !== columns || element.height !== lines) {
      element.width = columns;
      element.height = lines;
      element.style.width = `${width}px`;
      element.style.height = `${height}px`;
    }
    [this.width, this.height] = [width, height];
    const context = element.getContext('2d');
    context?.setTransform(ratio, 0, 0, ratio, 0, 0);
    context?.clearRect(0, 0, width, height);
    return context && { ...content, context };
  }
}

/** The bins `from` to `to` (exclusive) of a series. */
export interface Piece {
  readonly series: Series;
  readonly from: number;
  readonly to: number;
}

/** Return the bins that cover the given snapshots: from `part` where it has them, otherwise from `whole`. */
export function piecesOf(
  whole: Series,
  part: Series | null,
  start: number,
  end: number
): Piece[] {
  const piece = (series: Series, first: number, last: number): Piece => ({
    series,
    from: binAt(series, first),
    to: binAt(series, last) + 1
  });
  if (part === null || part.end < start || part.start > end) {
    return [piece(whole, start, end)];
  }
  const pieces: Piece[] = [];
  if (start < part.start) {
    pieces.push(piece(whole, start, part.start - 1));
  }
  pieces.push(
    piece(part, Math.max(start, part.start), Math.min(end, part.end))
  );
  if (end > part.end) {
    pieces.push(piece(whole, part.end + 1, end));
  }
  return pieces;
}

/** The minimum and the maximum of a curve. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

export function boundsOf(
  pieces: readonly Piece[],
  curve: Curve
): Bounds | null {
  let [least, most] = [Infinity, -Infinity];
  for (const { series, from, to } of pieces) {
    const values = series.curves[curve];
    for (let bin = knownBefore(values, from); bin < to; bin += 1) {
      if (values[bin] < least) {
        least = values[bin];
      }
      if (values[bin] > most) {
        most = values[bin];
      }
    }
  }
  return least <= most ? { least, most } : null;
}

/** Return the bounds of all curves that have known values. */
export function curvesOf(pieces: readonly Piece[]): Map<Curve, Bounds> {
  const found = new Map<Curve, Bounds>();
  for (const curve of CURVES) {
    const bounds = boundsOf(pieces, curve);
    if (bounds) {
      found.set(curve, bounds);
    }
  }
  return found;
}

/** A strip of a canvas. */
export interface Strip {
  readonly top: number;
  readonly height: number;
}

/** The data to draw, and where to draw it. */
export interface Content {
  readonly palette: Palette;
  readonly scale: Scale;
  readonly spacing: Spacing;
  readonly pieces: readonly Piece[];
}

export interface Drawing extends Content {
  readonly context: CanvasRenderingContext2D;
}

/** Draw curves one below another, each in a strip of the same height as the first. */
export function paintCurves(
  drawing: Drawing,
  curves: readonly Curve[],
  bounds: ReadonlyMap<Curve, Bounds>,
  { top, height }: Strip,
  gap = 0
): void {
  curves.forEach((curve, index) => {
    const shown = bounds.get(curve);
    if (shown) {
      const strip = { top: top + index * height, height: height - gap };
      paintCurve(drawing, curve, shown, strip);
    }
  });
}

/** Draw a curve in steps: its minimum is at the bottom of the strip, its maximum at the top. */
function paintCurve(
  { context, palette, scale, spacing, pieces }: Drawing,
  curve: Curve,
  bounds: Bounds,
  { top, height }: Strip
): void {
  const span = bounds.most - bounds.least;
  const bottom = top + height;
  const y = (value: number) =>
    span > 0
      ? bottom - 2 - ((value - bounds.least) / span) * (height - 4)
      : top + height / 2;
  context.beginPath();
  let level = NaN;
  let first = NaN;
  for (const { series, from, to } of pieces) {
    const values = series.curves[curve];
    const before = knownBefore(values, from);
    for (let bin = before; bin < to; bin += 1) {
      if (Number.isNaN(values[bin])) {
        continue;
      }
      const places = spacing === 'time' ? series.times : series.ends;
      const x = Math.max(scale.x(places[bin]), -1);
      const next = y(values[bin]);
      if (Number.isNaN(level)) {
        first = x;
        context.moveTo(x, next);
      } else {
        context.lineTo(x, level);
        context.lineTo(x, next);
      }
      level = next;
    }
  }
  if (Number.isNaN(level)) {
    return;
  }
  // Extend the curve to the right edge: the newest version is the current one.
  context.lineTo(scale.width, level);
  context.strokeStyle = palette.color('heat');
  context.lineWidth = 1.5;
  context.stroke();
  context.lineTo(scale.width, bottom);
  context.lineTo(first, bottom);
  context.globalAlpha = 0.14;
  context.fillStyle = palette.color('heat');
  context.fill();
  context.globalAlpha = 1;
}

/** Draw the number of commits of each kind as stacked columns; any commit is at least one pixel high. */
export function paintCommits(
  { context, palette, scale, spacing, pieces }: Drawing,
  kinds: readonly string[],
  { top, height }: Strip,
  columnWidth: number
): void {
  const columns = Math.ceil(scale.width / columnWidth);
  const counted = kinds.map(() => new Float64Array(columns));
  for (const { series, from, to } of pieces) {
    const lanes = kinds.map(kind => series.counts[series.lanes.indexOf(kind)]);
    for (let bin = from; bin < to; bin += 1) {
      const [left, right] = edgesOf(series, spacing, bin, scale);
      lanes.forEach((counts, lane) => {
        const count = counts?.[bin] ?? 0;
        if (count > 0) {
          spread(counted[lane], count, left / columnWidth, right / columnWidth);
        }
      });
    }
  }
  let most = 0;
  for (let column = 0; column < columns; column += 1) {
    let sum = 0;
    counted.forEach(values => (sum += values[column]));
    most = Math.max(most, sum);
  }
  const base = new Float64Array(columns);
  kinds.forEach((kind, lane) => {
    context.fillStyle = palette.ofLane(kind);
    for (let column = 0; column < columns; column += 1) {
      const value = counted[lane][column];
      if (value > 0) {
        // Many rectangles with integer coordinates are painted faster than one path of all of them.
        const share = (value / most) * (height - 1);
        const length = Math.max(Math.round(share), 1);
        const y = top + height - base[column] - length;
        context.fillRect(column * columnWidth, y, columnWidth, length);
        base[column] += length;
      }
    }
  });
}

/** Mark the snapshots that have not been read yet. */
export function paintUnread(
  { context, palette, scale, spacing, pieces }: Drawing,
  { top, height }: Strip
): void {
  context.fillStyle = palette.color('border');
  for (const { series, from, to } of pieces) {
    for (let bin = from; bin < to; bin += 1) {
      let read = 0;
      series.counts.forEach(counts => (read += counts[bin]));
      if (read < series.ends[bin] - beginOf(series, bin) + 1) {
        const [left, right] = edgesOf(series, spacing, bin, scale);
        context.fillRect(left, top + height - 2, Math.max(right - left, 1), 2);
      }
    }
  }
}

/** Distribute a count over the columns from `left` to `right`, in proportion to how much of each is covered. */
function spread(
  columns: Float64Array,
  count: number,
  left: number,
  right: number
): void {
  const first = Math.max(Math.floor(left), 0);
  if (right - left < 1e-6) {
    if (left >= 0 && first < columns.length) {
      columns[first] += count;
    }
    return;
  }
  const last = Math.min(Math.ceil(right), columns.length) - 1;
  for (let column = first; column <= last; column += 1) {
    const covered = Math.min(right, column + 1) - Math.max(left, column);
    columns[column] += (count * covered) / (right - left);
  }
}

/** Return the start and end of a bin in pixels. */
function edgesOf(
  series: Series,
  spacing: Spacing,
  bin: number,
  scale: Scale
): [number, number] {
  if (spacing === 'snapshot') {
    return [
      scale.x(beginOf(series, bin) - 0.5),
      scale.x(series.ends[bin] + 0.5)
    ];
  }
  const end = scale.x(series.times[bin]);
  // A single commit is at one point in time, regardless of the previous one.
  const single = beginOf(series, bin) === series.ends[bin];
  const begin = bin === 0 ? series.since : series.times[bin - 1];
  return [single ? end : scale.x(begin), end];
}

/** Return the last bin before `from` whose value is known, or `from` if there is none. */
function knownBefore(values: Float64Array, from: number): number {
  for (let bin = from - 1; bin >= 0; bin -= 1) {
    if (!Number.isNaN(values[bin])) {
      return bin;
    }
  }
  return from;
}
