import type { Int64 } from '../../contract';
import type { Markup } from '../markup';
import type { Texts } from '../texts';
import { flagMarkup, flagsHeight, flagsOf } from './flags';
import {
  AXIS_HEIGHT,
  boundsText,
  CURVE_HEIGHT,
  FRAME,
  LANE_HEIGHT,
  MAP_COMMITS_HEIGHT,
  MAP_CURVE_HEIGHT,
  mapNamesMarkup,
  namesMarkup
} from './frame_markup';
import { Marks, marksIn, type Mark } from './marks';
import {
  boundsOf,
  Canvas,
  paintCommits,
  paintCurve,
  paintUnread,
  piecesOf,
  type Bounds,
  type Piece
} from './painter';
import { Palette } from './palette';
import {
  placeOf,
  Scale,
  snapshotsIn,
  wholeRange,
  type Range,
  type Spacing
} from './scale';
import {
  CURVES,
  type Curve,
  type Pin,
  type Positions,
  type Series
} from './series';
import { TickLabels } from './tick_labels';
import { ticksOf } from './ticks';

/** What the frame shows. */
export interface FrameState {
  readonly positions: Positions;
  readonly whole: Series;
  readonly part: Series | null;
  readonly pins: readonly Pin[];
  readonly spacing: Spacing;
  readonly range: Range;
  readonly selected: Int64 | null;
  readonly stop: Int64 | null;
  readonly fresh: ReadonlySet<Int64>;
  /** The snapshots that are drawn as elements even if others have no room. */
  readonly always: readonly Mark[];
  /** What a commit changed, as far as it is known. */
  changesOf(id: Int64): string | null;
}

const USUAL_WIDTH = 700;
const LEAST_STEP = 20;
const COLUMN_WIDTH = 3;

/** The elements of a history: the map of all of it, and the part in sight with curves, flags, lanes and the axis. */
export class HistoryFrame {
  readonly root: HTMLElement;
  readonly map: HTMLElement;
  readonly plot: HTMLElement;
  readonly marks: Marks;
  width = USUAL_WIDTH;
  /** The marks that were drawn last, from the oldest to the newest. */
  drawn: readonly Mark[] = [];

  private readonly palette: Palette;
  private readonly mapCanvas: Canvas;
  private readonly canvas: Canvas;
  private readonly brush: HTMLElement;
  private readonly lanes: HTMLElement;
  private readonly ticks: TickLabels;
  private readonly filled = new Map<string, string>();
  private mapped: readonly unknown[] = [];

  constructor(parent: HTMLElement, themeChanged: () => void) {
    const document = parent.ownerDocument;
    this.root = document.createElement('div');
    this.root.className = 'pwv-history';
    this.root.innerHTML = FRAME.text;
    parent.append(this.root);
    this.map = this.part('map');
    this.plot = this.part('plot');
    this.brush = this.part('brush');
    this.lanes = this.part('lanes');
    this.marks = new Marks(this.lanes);
    this.ticks = new TickLabels(this.part('ticks'));
    this.mapCanvas = new Canvas(document);
    this.canvas = new Canvas(document);
    this.map.prepend(this.mapCanvas.element);
    this.plot.prepend(this.canvas.element);
    this.palette = new Palette(this.root, () => {
      this.mapped = [];
      themeChanged();
    });
  }

  dispose(): void {
    this.palette.dispose();
    this.root.remove();
  }

  /** Measure the width that there is; returns whether it has changed. */
  measure(): boolean {
    const width = this.plot.clientWidth || USUAL_WIDTH;
    const changed = width !== this.width;
    this.width = width;
    return changed;
  }

  mapScale({ whole, spacing }: FrameState): Scale {
    return new Scale(wholeRange(whole, spacing, this.width), this.width);
  }

  scale({ range }: FrameState): Scale {
    return new Scale(range, this.width);
  }

  draw(state: FrameState, texts: Texts): void {
    const curves = this.drawMap(state, texts);
    this.drawBrush(state, texts);
    this.drawPart(state, curves, texts);
  }

  /** Draw the map if something other than the part in sight has changed; returns the curves that there are. */
  private drawMap(state: FrameState, texts: Texts): Map<Curve, Bounds> {
    const { whole, pins, spacing, selected } = state;
    const pieces = piecesOf(whole, null, whole.start, whole.end);
    const curves = curvesOf(pieces);
    const drawn = [whole, pins, spacing, selected, this.width, texts];
    if (drawn.every((each, index) => each === this.mapped[index])) {
      return curves;
    }
    this.mapped = drawn;
    const height = MAP_COMMITS_HEIGHT + curves.size * MAP_CURVE_HEIGHT;
    const scale = this.mapScale(state);
    const context = this.mapCanvas.begin(this.width, height);
    if (context) {
      const drawing = {
        context,
        palette: this.palette,
        scale,
        spacing,
        pieces
      };
      const commits = { top: 0, height: MAP_COMMITS_HEIGHT - 4 };
      paintCommits(drawing, whole.lanes, commits, 1);
      paintUnread(drawing, commits);
      [...curves].forEach(([curve, bounds], index) => {
        const top = MAP_COMMITS_HEIGHT + index * MAP_CURVE_HEIGHT;
        paintCurve(drawing, curve, bounds, { top, height: MAP_CURVE_HEIGHT });
      });
      this.paintPins(context, state, scale, height);
    }
    setHeight([this.map, this.part('map-names')], height);
    this.layer('brushes', 0, height);
    this.fill('map-names', mapNamesMarkup([...curves.keys()], texts));
    return curves;
  }

  /** Mark the selected snapshot and the flags on the map. */
  private paintPins(
    context: CanvasRenderingContext2D,
    { whole, pins, spacing, selected, positions }: FrameState,
    scale: Scale,
    height: number
  ): void {
    context.fillStyle = this.palette.color('overwrite');
    for (const { position, time } of pins) {
      if (time !== null) {
        context.fillRect(
          scale.x(placeOf(whole, spacing, position)) - 1,
          0,
          2,
          6
        );
      }
    }
    if (selected !== null) {
      const x = scale.x(placeOf(whole, spacing, positions.of(selected)));
      context.fillStyle = this.palette.color('text');
      context.fillRect(Math.round(x), 0, 1, height);
    }
  }

  private drawBrush(state: FrameState, texts: Texts): void {
    const { whole, range, spacing, positions } = state;
    const scale = this.mapScale(state);
    const from = scale.x(range.from);
    const to = scale.x(range.to);
    this.brush.style.transform = `translateX(${from.toFixed(1)}px)`;
    this.brush.style.width = `${Math.max(to - from, 3).toFixed(1)}px`;
    const [first, last] = snapshotsIn(whole, spacing, range);
    const label = texts.say('historyMap', {
      n: whole.end - whole.start + 1,
      from: texts.zoned(String(whole.since || 0)),
      to: texts.zoned(String(whole.times[whole.times.length - 1] || 0)),
      first: positions.id(first),
      last: positions.id(last)
    });
    this.map.setAttribute('aria-label', label);
  }

  private drawPart(
    state: FrameState,
    curves: Map<Curve, Bounds>,
    texts: Texts
  ): void {
    const { whole, part, spacing, pins } = state;
    const scale = this.scale(state);
    const [start, end] = snapshotsIn(whole, spacing, scale.visible);
    const pieces = piecesOf(whole, part, start, end);
    const lanes = whole.lanes;
    const flagsTop = curves.size * CURVE_HEIGHT;
    const lanesTop = flagsTop + flagsHeight(pins, whole);
    const height = lanesTop + lanes.length * LANE_HEIGHT;
    const sparse =
      pieces.every(isSingle) &&
      (end - start + 1) * LEAST_STEP <= this.width + LEAST_STEP;
    const bounds = curvesOf(pieces);
    const context = this.canvas.begin(this.width, height);
    if (context) {
      const drawing = {
        context,
        palette: this.palette,
        scale,
        spacing,
        pieces
      };
      [...curves.keys()].forEach((curve, index) => {
        const shown = bounds.get(curve);
        if (shown) {
          const top = index * CURVE_HEIGHT;
          paintCurve(drawing, curve, shown, { top, height: CURVE_HEIGHT - 4 });
        }
      });
      this.paintLanes(context, lanes.length, lanesTop);
      if (!sparse) {
        lanes.forEach((lane, index) => {
          const top = lanesTop + index * LANE_HEIGHT + 4;
          paintCommits(
            drawing,
            [lane],
            { top, height: LANE_HEIGHT - 4 },
            COLUMN_WIDTH
          );
        });
      }
    }
    setHeight([this.plot, this.part('names')], height + AXIS_HEIGHT);
    this.layer('flags', flagsTop, lanesTop - flagsTop);
    this.layer('lanes', lanesTop, height - lanesTop);
    this.layer('ticks', height, AXIS_HEIGHT);
    this.drawMarks(state, sparse ? pieces : [], scale, texts);
    this.lanes.setAttribute('aria-label', texts.say('timelineSection'));
    const flags = flagsOf(pins, whole, spacing, scale, texts);
    this.fill('flags', flagMarkup(flags, this.width, texts));
    const ticks = ticksOf(scale, spacing, finest(pieces, whole), texts);
    this.ticks.draw(ticks, this.width);
    this.fill(
      'names',
      namesMarkup([...curves.keys()], lanesTop - flagsTop, lanes, texts)
    );
    this.drawBounds(bounds, texts);
  }

  /** Write the values of the curves in sight, as far as they have changed. */
  private drawBounds(bounds: ReadonlyMap<Curve, Bounds>, texts: Texts): void {
    const elements =
      this.part('names').querySelectorAll<HTMLElement>('[data-curve]');
    for (const element of elements) {
      const curve = element.dataset.curve as Curve;
      const text = boundsText(curve, bounds.get(curve), texts);
      if (element.textContent !== text) {
        element.textContent = element.title = text;
      }
    }
  }

  private paintLanes(
    context: CanvasRenderingContext2D,
    count: number,
    top: number
  ): void {
    context.fillStyle = this.palette.color('border');
    for (let lane = 0; lane <= count; lane += 1) {
      context.fillRect(
        0,
        top + lane * LANE_HEIGHT - (lane === count ? 1 : 0),
        this.width,
        1
      );
    }
  }

  private drawMarks(
    state: FrameState,
    pieces: readonly Piece[],
    scale: Scale,
    texts: Texts
  ): void {
    const { whole, positions, spacing } = state;
    const inSight = marksIn(pieces, positions);
    const ids = new Set(inSight.map(({ id }) => id));
    const others = state.always.filter(({ id }) => !ids.has(id));
    const marks = [...inSight, ...others].sort(
      (a, b) => a.position - b.position
    );
    const x = (mark: Mark) =>
      scale.x(spacing === 'time' ? mark.time : mark.position);
    const { lanes } = whole;
    const laneHeight = LANE_HEIGHT;
    this.drawn = marks;
    this.marks.draw(marks, { ...state, lanes, laneHeight, x }, texts);
  }

  /**
   * Place a layer of a plot. It has a fixed size, so that the browser lays out only the layer when something in it
   * changes, and not the page: that takes longer than all the drawing.
   */
  private layer(name: string, top: number, height: number): void {
    const { style } = this.part(name);
    style.top = `${top}px`;
    style.width = `${this.width}px`;
    style.height = `${height}px`;
  }

  private part(name: string): HTMLElement {
    const element = this.root.querySelector<HTMLElement>(
      `[data-part="${name}"]`
    );
    if (!element) {
      throw new Error(`The history has no part ${name}.`);
    }
    return element;
  }

  private fill(name: string, markup: Markup): void {
    if (this.filled.get(name) !== markup.text) {
      this.part(name).innerHTML = markup.text;
      this.filled.set(name, markup.text);
    }
  }
}

function curvesOf(pieces: readonly Piece[]): Map<Curve, Bounds> {
  const found = new Map<Curve, Bounds>();
  for (const curve of CURVES) {
    const bounds = boundsOf(pieces, curve);
    if (bounds) {
      found.set(curve, bounds);
    }
  }
  return found;
}

/** Whether each bin is a single snapshot, or snapshots that do not exist before it. */
function isSingle({ series, from, to }: Piece): boolean {
  for (let bin = from; bin < to; bin += 1) {
    let commits = 0;
    series.counts.forEach(counts => (commits += counts[bin]));
    const begin = bin === 0 ? series.start : series.ends[bin - 1] + 1;
    if (commits > 1 || (commits === 0 && begin < series.ends[bin])) {
      return false;
    }
  }
  return true;
}

/** Return the series whose times label the axis. */
function finest(pieces: readonly Piece[], whole: Series): Series {
  return pieces.length === 1 ? pieces[0].series : whole;
}

function setHeight(elements: readonly HTMLElement[], height: number): void {
  elements.forEach(({ style }) => {
    style.height = `${height}px`;
  });
}
