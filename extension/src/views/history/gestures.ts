import { moved, zoomed, type Range, type Scale } from './scale';

/** The target of the gestures. */
export interface GestureTarget {
  range(): Range;
  /** The scales of the map and of the visible part. */
  mapScale(): Scale;
  scale(): Scale;
  show(range: Range): void;
  showAll(): void;
  /** Point at a position on the axis. */
  point(place: number): void;
  /** Choose the snapshot at a position on the axis; with `isEnd`, as the other end of a comparison. */
  choose(place: number, isEnd: boolean): void;
}

const LEAST_DRAG = 4;
const EDGE = 6;
const WHEEL_ZOOM = 0.0025;

type Drag = (x: number) => void;

/** Let pointer and wheel drag and zoom the map and the visible part. Return a function that stops this. */
export function handleGestures(
  map: HTMLElement,
  plot: HTMLElement,
  grip: GestureTarget
): () => void {
  const control = new AbortController();
  const { signal } = control;
  const xOf = (element: HTMLElement, event: MouseEvent) =>
    event.clientX - element.getBoundingClientRect().left;

  plot.addEventListener(
    'pointerdown',
    event => {
      const begin = xOf(plot, event);
      const { from, to } = grip.range();
      follow(plot, event, x =>
        grip.show(moved({ from, to }, grip.scale().distance(begin - x)))
      );
    },
    { signal }
  );
  plot.addEventListener(
    'click',
    event => {
      if (!isMark(event)) {
        grip.choose(grip.scale().place(xOf(plot, event)), event.shiftKey);
      }
    },
    { signal }
  );
  plot.addEventListener(
    'pointermove',
    event => {
      if (event.buttons === 0 && !isMark(event)) {
        grip.point(grip.scale().place(xOf(plot, event)));
      }
    },
    { signal }
  );
  plot.addEventListener(
    'dblclick',
    event => {
      if (!isMark(event)) {
        grip.show(
          zoomed(grip.range(), 0.25, grip.scale().place(xOf(plot, event)))
        );
      }
    },
    { signal }
  );
  plot.addEventListener(
    'wheel',
    event => {
      const { from, to } = grip.range();
      const sideways = event.shiftKey
        ? event.deltaY || event.deltaX
        : event.deltaX;
      if (event.ctrlKey || event.metaKey) {
        const factor = Math.exp(event.deltaY * WHEEL_ZOOM);
        grip.show(
          zoomed({ from, to }, factor, grip.scale().place(xOf(plot, event)))
        );
      } else if (
        Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)
      ) {
        grip.show(moved({ from, to }, grip.scale().distance(sideways)));
      } else {
        return;
      }
      event.preventDefault();
    },
    { signal, passive: false }
  );
  map.addEventListener(
    'pointerdown',
    event => follow(map, event, brushing(xOf(map, event), grip)),
    { signal }
  );
  map.addEventListener(
    'click',
    event => {
      const { from, to } = grip.range();
      const place = grip.mapScale().place(xOf(map, event));
      if (place < from || place > to) {
        grip.show(moved({ from, to }, place - (from + to) / 2));
      }
    },
    { signal }
  );
  map.addEventListener('dblclick', () => grip.showAll(), { signal });
  return () => control.abort();

  /** Follow the pointer once it has moved far enough to be a drag; otherwise a click stays a click. */
  function follow(element: HTMLElement, down: PointerEvent, drag: Drag): void {
    if (down.button !== 0) {
      return;
    }
    const ending = new AbortController();
    let dragging = false;
    const end = () => {
      ending.abort();
      if (dragging) {
        // Suppress the click that ends a drag.
        const stop = (click: Event) => click.stopPropagation();
        element.addEventListener('click', stop, { capture: true, once: true });
        setTimeout(() =>
          element.removeEventListener('click', stop, { capture: true })
        );
      }
    };
    const options = { signal: AbortSignal.any([signal, ending.signal]) };
    element.addEventListener(
      'pointermove',
      event => {
        if (!dragging && Math.abs(event.clientX - down.clientX) >= LEAST_DRAG) {
          dragging = true;
          element.setPointerCapture(down.pointerId);
        }
        if (dragging) {
          drag(xOf(element, event));
        }
      },
      options
    );
    element.addEventListener('pointerup', end, options);
    element.addEventListener('pointercancel', end, options);
  }
}

/** Return how a drag in the map changes the visible part: move it, move one of its edges, or select a new part. */
function brushing(begin: number, grip: GestureTarget): Drag {
  const scale = grip.mapScale();
  const { from, to } = grip.range();
  const [left, right] = [scale.x(from), scale.x(to)];
  if (Math.abs(begin - left) < EDGE && right - left > 2 * EDGE) {
    return x => grip.show({ from: Math.min(scale.place(x), to), to });
  }
  if (Math.abs(begin - right) < EDGE && right - left > 2 * EDGE) {
    return x => grip.show({ from, to: Math.max(scale.place(x), from) });
  }
  if (begin > left - EDGE && begin < right + EDGE) {
    return x =>
      grip.show(moved({ from, to }, scale.place(x) - scale.place(begin)));
  }
  return x => {
    const places = [scale.place(begin), scale.place(x)].sort((a, b) => a - b);
    grip.show({ from: places[0], to: places[1] });
  };
}

function isMark(event: Event): boolean {
  return (event.target as Element).closest('[data-snapshot]') !== null;
}
