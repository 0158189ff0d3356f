import { Canvas } from '../history/painter';
import { Palette, type Color } from '../history/palette';
import type { Placed, ReplayState } from './replay_state';

const MAX_HEIGHT = 320;
const LEAST_HEIGHT = 120;
const GUTTER = 44;
const FOOT = 8;
const MAX_LANE = 26;
const LEAST = 2;
const LABEL_LANE = 11;

/** What the painter needs besides the files: the maximum number of lanes of any state, and the names of lanes. */
export interface Scene {
  readonly most: number;
  laneName(level: number): string;
}

/** Draws states of a bucket and the transitions between them on a canvas: a thousand files take a few milliseconds. */
export class ReplayPainter {
  readonly canvas: Canvas;
  private readonly palette: Palette;

  constructor(
    private readonly root: HTMLElement,
    themeChanged: () => void
  ) {
    this.canvas = new Canvas(root.ownerDocument);
    // Not in the part itself, because its content is replaced.
    this.palette = new Palette(root.parentElement ?? root, themeChanged);
  }

  dispose(): void {
    this.palette.dispose();
  }

  /** Draw the transition from one state to another, of which the fraction `share` has passed. */
  paint(scene: Scene, from: ReplayState, to: ReplayState, share: number): void {
    const { canvas, palette } = this;
    const width = canvas.element.parentElement?.clientWidth ?? 0;
    const lanes = Math.max(1, scene.most) * MAX_LANE + 2 * FOOT;
    const height = Math.min(MAX_HEIGHT, Math.max(LEAST_HEIGHT, lanes));
    const context = width > 0 ? begin(canvas, width, height) : null;
    if (!context) {
      return;
    }
    const lane = Math.min(
      MAX_LANE,
      (height - 2 * FOOT) / Math.max(1, scene.most)
    );
    const span = width - GUTTER - 8;
    const bottom = to.lanes[to.lanes.length - 1] ?? 0;
    const eased =
      share < 0.5 ? 2 * share * share : 1 - (-2 * share + 2) ** 2 / 2;
    // Lanes are positioned from the bottom, so that the last level does not move.
    const top = (state: ReplayState, each: Placed) =>
      height - FOOT - (state.lanes.length - each.lane) * lane;
    const rect = (y: number, { file }: Placed, alpha: number) => {
      const wide = Math.max(LEAST, (file.end - file.start) * span);
      const x = Math.min(GUTTER + file.start * span, width - 6 - wide);
      const tone =
        file.level === 0 ? 'l0' : file.level < bottom ? 'middle' : 'last';
      context.globalAlpha = alpha;
      context.fillStyle = palette.color(tone as Color);
      context.fillRect(x, y + 1, wide, lane - 2);
      if (lane > 5) {
        context.strokeStyle = palette.color(`${tone}Line` as Color);
        context.strokeRect(x + 0.5, y + 1.5, Math.max(1, wide - 1), lane - 3);
      }
    };
    const names = new Map<string, Placed>();
    for (const [index, each] of to.files) {
      if (!from.files.has(index)) {
        names.set(each.file.name, each);
      }
    }
    const arriving = [...names.values()];
    for (const [index, each] of from.files) {
      const now = to.files.get(index);
      const start = top(from, each);
      if (now) {
        const end = top(to, now);
        rect(start + (end - start) * eased, now, 1);
      } else if (share < 1) {
        const target = names.get(each.file.name) ?? nearest(each, arriving);
        const end = target ? top(to, target) : start - lane;
        rect(start + (end - start) * eased, each, 1 - eased);
      }
    }
    for (const [index, each] of to.files) {
      if (!from.files.has(index)) {
        const drop =
          share < 1 && from.files.size <= to.files.size ? (1 - eased) * -14 : 0;
        rect(top(to, each) + drop, each, eased);
      }
    }
    context.globalAlpha = 1;
    this.labels(context, scene, to, { lane, height });
  }

  private labels(
    context: CanvasRenderingContext2D,
    scene: Scene,
    state: ReplayState,
    { lane, height }: { lane: number; height: number }
  ): void {
    context.fillStyle = this.palette.color('text');
    context.font = `11px ${getComputedStyle(this.root).fontFamily || 'sans-serif'}`;
    context.textBaseline = 'middle';
    state.lanes.forEach((level, row) => {
      const isFirst = row === 0 || state.lanes[row - 1] !== level;
      if (lane >= LABEL_LANE || isFirst) {
        const y = height - FOOT - (state.lanes.length - row) * lane + lane / 2;
        context.fillText(scene.laneName(level), 8, y);
      }
    });
  }
}

function begin(
  canvas: Canvas,
  width: number,
  height: number
): CanvasRenderingContext2D | null {
  const { element } = canvas;
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
  const context = element.getContext('2d');
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}

/** Return the new file that shares the most keys with a removed file. */
function nearest({ file }: Placed, arriving: readonly Placed[]): Placed | null {
  let best: Placed | null = null;
  let most = -Infinity;
  for (const each of arriving) {
    const common =
      Math.min(each.file.end, file.end) - Math.max(each.file.start, file.start);
    if (common > most) {
      [best, most] = [each, common];
    }
  }
  return best;
}
