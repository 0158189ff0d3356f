import type { Texts } from '../texts';
import type { FrameState } from './frame';
import {
  MAP_COMMITS_HEIGHT,
  MAP_CURVE_HEIGHT,
  mapNamesMarkup
} from './frame_markup';
import {
  Canvas,
  curvesOf,
  paintCommits,
  paintCurves,
  paintUnread,
  piecesOf,
  type Bounds
} from './painter';
import type { Palette } from './palette';
import type { Parts } from './parts';
import { placeOf, Scale, snapshotsIn, wholeRange } from './scale';
import type { Curve } from './series';

/** The map of the whole history, and the brush around the visible part. */
export class HistoryMap {
  private readonly canvas: Canvas;
  /** The inputs from which the map was drawn, and the curves in it. */
  private drawn: readonly unknown[] = [];
  private curves: Map<Curve, Bounds> = new Map();

  constructor(
    private readonly parts: Parts,
    private readonly palette: Palette
  ) {
    const plot = parts.of('map');
    this.canvas = new Canvas(plot.ownerDocument);
    plot.prepend(this.canvas.element);
  }

  /** Force the map to be redrawn, for example in other colors. */
  forget(): void {
    this.drawn = [];
  }

  /** Draw the map if anything other than the visible part has changed; return the curves in it. */
  draw(
    state: FrameState,
    width: number,
    texts: Texts
  ): ReadonlyMap<Curve, Bounds> {
    const { whole, pins, spacing, selected } = state;
    const drawn = [whole, pins, spacing, selected, width, texts];
    if (drawn.some((each, index) => each !== this.drawn[index])) {
      this.drawn = drawn;
      this.paint(state, width, texts);
    }
    this.drawBrush(state, width);
    return this.curves;
  }

  /** Describe the visible part to screen readers. */
  describe({ whole, range, spacing, positions }: FrameState, texts: Texts) {
    const [first, last] = snapshotsIn(whole, spacing, range);
    const label = texts.format('historyMap', {
      n: whole.end - whole.start + 1,
      from: texts.zoned(String(whole.since || 0)),
      to: texts.zoned(String(whole.times[whole.times.length - 1] || 0)),
      first: positions.id(first),
      last: positions.id(last)
    });
    this.parts.label('map', label);
  }

  private paint(state: FrameState, width: number, texts: Texts): void {
    const { whole, spacing } = state;
    const pieces = piecesOf(whole, null, whole.start, whole.end);
    this.curves = curvesOf(pieces);
    const height = MAP_COMMITS_HEIGHT + this.curves.size * MAP_CURVE_HEIGHT;
    const drawing = this.canvas.begin(width, height, {
      palette: this.palette,
      scale: scaleOf(state, width),
      spacing,
      pieces
    });
    if (drawing) {
      const commits = { top: 0, height: MAP_COMMITS_HEIGHT - 4 };
      paintCommits(drawing, whole.lanes, commits, 1);
      paintUnread(drawing, commits);
      const strip = { top: MAP_COMMITS_HEIGHT, height: MAP_CURVE_HEIGHT };
      paintCurves(drawing, [...this.curves.keys()], this.curves, strip);
      this.paintPins(drawing.context, state, drawing.scale, height);
    }
    for (const name of ['map', 'map-names']) {
      this.parts.setHeight(name, height);
    }
    this.parts.layer('brushes', 0, width, height);
    this.parts.fill(
      'map-names',
      mapNamesMarkup([...this.curves.keys()], texts)
    );
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
        const x = scale.x(placeOf(whole, spacing, position));
        context.fillRect(x - 1, 0, 2, 6);
      }
    }
    if (selected !== null) {
      const x = scale.x(placeOf(whole, spacing, positions.of(selected)));
      context.fillStyle = this.palette.color('text');
      context.fillRect(Math.round(x), 0, 1, height);
    }
  }

  private drawBrush(state: FrameState, width: number): void {
    const scale = scaleOf(state, width);
    const from = scale.x(state.range.from);
    const to = scale.x(state.range.to);
    this.parts.span('brush', from, Math.max(to - from, 3));
  }
}

function scaleOf({ whole, spacing }: FrameState, width: number): Scale {
  return new Scale(wholeRange(whole, spacing, width), width);
}
