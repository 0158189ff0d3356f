import type { Int64 } from '../../contract';
import type { Texts } from '../texts';
import { Flags, flagsHeight, flagsOf } from './flags';
import {
  AXIS_HEIGHT,
  boundsText,
  CURVE_HEIGHT,
  FRAME,
  LANE_HEIGHT,
  namesMarkup
} from './frame_markup';
import { HistoryMap } from './map';
import { Marks, marksIn, type Mark } from './marks';
import {
  Canvas,
  curvesOf,
  paintCommits,
  paintCurves,
  piecesOf,
  type Content,
  type Piece
} from './painter';
import { Palette } from './palette';
import { Parts } from './parts';
import { Scale, snapshotsIn, type Range, type Spacing } from './scale';
import {
  beginOf,
  type Curve,
  type Pin,
  type Positions,
  type Series
} from './series';
import { TickLabels } from './tick_labels';
import { ticksOf } from './ticks';

/** The state that the frame shows. */
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
  /** The snapshots that are drawn as elements even if there is no room for the other snapshots. */
  readonly always: readonly Mark[];
  /** Return what a commit changed, or null if it is not known. */
  changesOf(id: Int64): string | null;
}

const USUAL_WIDTH = 700;
const LEAST_STEP = 20;
const COLUMN_WIDTH = 3;

/** The curves of a plot, and the y coordinates at which its parts begin. */
interface Layout {
  readonly curves: readonly Curve[];
  readonly flags: number;
  readonly lanes: number;
  readonly ticks: number;
}

/**
 * The elements of a history: the map of the whole history, and the visible part with curves, flags, lanes and the axis.
 */
export class HistoryFrame {
  readonly root: HTMLElement;
  readonly map: HTMLElement;
  readonly plot: HTMLElement;
  readonly marks: Marks;
  width = USUAL_WIDTH;
  /** The marks that were drawn last, oldest first. */
  drawn: readonly Mark[] = [];

  private readonly parts: Parts;
  private readonly palette: Palette;
  private readonly overview: HistoryMap;
  private readonly canvas: Canvas;
  private readonly flags: Flags;
  private readonly ticks: TickLabels;
  private pins: readonly Pin[] = [];
  private pinsAt: ReadonlyMap<number, readonly Pin[]> = new Map();

  constructor(parent: HTMLElement, themeChanged: () => void) {
    const document = parent.ownerDocument;
    this.root = document.createElement('div');
    this.root.className = 'pwv-history';
    this.root.innerHTML = FRAME.text;
    parent.append(this.root);
    this.parts = new Parts(this.root);
    this.palette = new Palette(this.root, () => {
      this.overview.forget();
      themeChanged();
    });
    this.map = this.parts.of('map');
    this.plot = this.parts.of('plot');
    this.overview = new HistoryMap(this.parts, this.palette);
    this.marks = new Marks(this.parts.of('lanes'));
    this.flags = new Flags(this.parts.of('flags'));
    this.ticks = new TickLabels(this.parts.of('ticks'));
    this.canvas = new Canvas(document);
    this.plot.prepend(this.canvas.element);
  }

  dispose(): void {
    this.palette.dispose();
    this.root.remove();
  }

  /** Measure the available width; return whether it has changed. */
  measure(): boolean {
    const width = this.plot.clientWidth || USUAL_WIDTH;
    const changed = width !== this.width;
    this.width = width;
    return changed;
  }

  draw(state: FrameState, texts: Texts): void {
    const curves = this.overview.draw(state, this.width, texts);
    const { whole, pins, spacing } = state;
    const scale = new Scale(state.range, this.width);
    const pieces = this.piecesOf(state);
    const layout = this.layOut([...curves.keys()], state, texts);
    const sparse = this.isSparse(pieces);
    this.paint({ palette: this.palette, scale, spacing, pieces }, layout, {
      lanes: whole.lanes,
      sparse
    });
    this.drawMarks(state, sparse ? pieces : [], scale, texts);
    this.flags.draw(flagsOf(pins, whole, spacing, scale, texts), texts);
    const ticks = ticksOf(scale, spacing, finest(pieces, whole), texts);
    this.ticks.draw(ticks, this.width);
  }

  /** Update the texts about the visible part, which change with every movement. */
  describe(state: FrameState, texts: Texts): void {
    this.overview.describe(state, texts);
    const bounds = curvesOf(this.piecesOf(state));
    const elements = this.parts
      .of('names')
      .querySelectorAll<HTMLElement>('[data-curve]');
    for (const element of elements) {
      const curve = element.dataset.curve as Curve;
      const text = boundsText(curve, bounds.get(curve), texts);
      if (element.textContent !== text) {
        element.textContent = element.title = text;
      }
    }
  }

  /** Return the visible bins. */
  private piecesOf({ whole, part, spacing, range }: FrameState): Piece[] {
    const { visible } = new Scale(range, this.width);
    const [start, end] = snapshotsIn(whole, spacing, visible);
    return piecesOf(whole, part, start, end);
  }

  /** Return whether there is room for an element for each visible snapshot. */
  private isSparse(pieces: readonly Piece[]): boolean {
    const room = this.width / LEAST_STEP + 1;
    const count = pieces.reduce((sum, each) => sum + snapshotsOf(each), 0);
    return count <= room && pieces.every(isSingle);
  }

  private layOut(
    curves: readonly Curve[],
    { pins, whole }: FrameState,
    texts: Texts
  ): Layout {
    const { parts, width } = this;
    const flags = curves.length * CURVE_HEIGHT;
    const lanes = flags + flagsHeight(pins, whole);
    const ticks = lanes + whole.lanes.length * LANE_HEIGHT;
    for (const name of ['plot', 'names']) {
      parts.setHeight(name, ticks + AXIS_HEIGHT);
    }
    parts.layer('flags', flags, width, lanes - flags);
    parts.layer('lanes', lanes, width, ticks - lanes);
    parts.layer('ticks', ticks, width, AXIS_HEIGHT);
    parts.label('lanes', texts.format('timelineSection'));
    parts.fill('names', namesMarkup(curves, lanes - flags, whole.lanes, texts));
    return { curves, flags, lanes, ticks };
  }

  /** Paint the curves and lanes, and the commits in the lanes unless they are drawn as elements. */
  private paint(
    content: Content,
    { curves, lanes: lanesTop, ticks: height }: Layout,
    { lanes, sparse }: { lanes: readonly string[]; sparse: boolean }
  ): void {
    const drawing = this.canvas.begin(this.width, height, content);
    if (!drawing) {
      return;
    }
    const strip = { top: 0, height: CURVE_HEIGHT };
    paintCurves(drawing, curves, curvesOf(content.pieces), strip, 4);
    this.paintLanes(drawing.context, lanes.length, lanesTop);
    if (!sparse) {
      lanes.forEach((lane, index) => {
        const top = lanesTop + index * LANE_HEIGHT + 4;
        const commits = { top, height: LANE_HEIGHT - 4 };
        paintCommits(drawing, [lane], commits, COLUMN_WIDTH);
      });
    }
  }

  private paintLanes(
    context: CanvasRenderingContext2D,
    count: number,
    top: number
  ): void {
    context.fillStyle = this.palette.color('border');
    for (let lane = 0; lane <= count; lane += 1) {
      const y = top + lane * LANE_HEIGHT - (lane === count ? 1 : 0);
      context.fillRect(0, y, this.width, 1);
    }
  }

  private drawMarks(
    state: FrameState,
    pieces: readonly Piece[],
    scale: Scale,
    texts: Texts
  ): void {
    const { whole, positions, spacing } = state;
    const visibleRange = marksIn(pieces, positions);
    const ids = new Set(visibleRange.map(({ id }) => id));
    const others = state.always.filter(({ id }) => !ids.has(id));
    const marks = [...visibleRange, ...others].sort(
      (a, b) => a.position - b.position
    );
    const x = (mark: Mark) =>
      scale.x(spacing === 'time' ? mark.time : mark.position);
    const { lanes } = whole;
    const laneHeight = LANE_HEIGHT;
    const pins = this.pinsByPosition(state.pins);
    this.drawn = marks;
    const { width } = this;
    const drawing = { ...state, pins, lanes, laneHeight, width, x };
    this.marks.draw(marks, drawing, texts);
  }

  private pinsByPosition(
    pins: readonly Pin[]
  ): ReadonlyMap<number, readonly Pin[]> {
    if (pins !== this.pins) {
      const found = new Map<number, Pin[]>();
      for (const pin of pins) {
        found.set(pin.position, [...(found.get(pin.position) ?? []), pin]);
      }
      [this.pins, this.pinsAt] = [pins, found];
    }
    return this.pinsAt;
  }
}

function snapshotsOf({ series, from, to }: Piece): number {
  return series.ends[to - 1] - beginOf(series, from) + 1;
}

/**
 * Return whether each bin contains at most one snapshot; a bin without commits counts only if it covers a single id.
 */
function isSingle({ series, from, to }: Piece): boolean {
  for (let bin = from; bin < to; bin += 1) {
    let commits = 0;
    series.counts.forEach(counts => (commits += counts[bin]));
    if (
      commits > 1 ||
      (commits === 0 && beginOf(series, bin) < series.ends[bin])
    ) {
      return false;
    }
  }
  return true;
}

/** Return the series whose times label the axis. */
function finest(pieces: readonly Piece[], whole: Series): Series {
  return pieces.length === 1 ? pieces[0].series : whole;
}
