/** The eye cannot follow more files than this. */
const MAX_FILES = 200;
const MOVE_MILLIS = 480;
const DROP_MILLIS = 360;

/** The positions at which files were drawn, and their elements, by file name. */
type Drawn = ReadonlyMap<string, { element: HTMLElement; box: DOMRect }>;

/** Return the current positions of files, to be recorded before a redraw, or null if nothing may move. */
export function drawnFiles(part: HTMLElement): Drawn | null {
  const view = part.ownerDocument.defaultView;
  const still = view?.matchMedia?.('(prefers-reduced-motion: reduce)').matches;
  const files = part.querySelectorAll<HTMLElement>('[data-file]');
  if (still !== false || files.length === 0 || files.length > MAX_FILES) {
    return null;
  }
  return new Map(
    Array.from(files, element => [
      element.dataset.file ?? '',
      { element, box: element.getBoundingClientRect() }
    ])
  );
}

/**
 * Animate files from their previous positions: removed files move into the new files below them, and new files appear.
 */
export function moveFiles(part: HTMLElement, before: Drawn): void {
  const now = new Map<string, HTMLElement>();
  for (const each of part.querySelectorAll<HTMLElement>('[data-file]')) {
    now.set(each.dataset.file ?? '', each);
  }
  const fresh = [...now].flatMap(([name, each]) =>
    before.has(name) ? [] : [each]
  );
  const gone = [...before].filter(([name]) => !now.has(name));
  if (now.size > MAX_FILES || fresh.length + gone.length === 0) {
    return;
  }
  for (const [name, element] of now) {
    const from = before.get(name)?.box;
    const to = element.getBoundingClientRect();
    if (from && (from.top !== to.top || from.left !== to.left)) {
      const move = `translate(${from.left - to.left}px,${from.top - to.top}px)`;
      animate(element, [{ transform: move }, {}], MOVE_MILLIS);
    }
  }
  for (const [, { element, box }] of gone) {
    moveInto(part, element, box, targetOf(box, fresh));
  }
  const appear =
    gone.length > 0
      ? [{ opacity: 0 }, { opacity: 0, offset: 0.6 }, { opacity: 1 }]
      : [{ opacity: 0, transform: 'translateY(-18px)' }, { opacity: 1 }];
  const millis = gone.length > 0 ? MOVE_MILLIS : DROP_MILLIS;
  fresh.forEach(element => animate(element, appear, millis));
}

/** Return the box of the new file that a merged file moves into: the one that shares the most keys. */
function targetOf(box: DOMRect, fresh: readonly HTMLElement[]): DOMRect | null {
  const boxes = fresh.map(element => element.getBoundingClientRect());
  const common = (other: DOMRect) =>
    Math.min(other.right, box.right) - Math.max(other.left, box.left);
  return boxes.sort((a, b) => common(b) - common(a))[0] ?? null;
}

/** Animate a copy of a file that moves into another file and vanishes there. */
function moveInto(
  part: HTMLElement,
  element: HTMLElement,
  box: DOMRect,
  target: DOMRect | null
): void {
  const origin = part.getBoundingClientRect();
  const ghost = part.ownerDocument.createElement('div');
  ghost.className = `pwv-ghost ${element.closest('.pwv-level')?.className ?? ''}`;
  ghost.setAttribute('aria-hidden', 'true');
  ghost.style.cssText = `left:${box.left - origin.left}px;top:${box.top - origin.top}px;width:${box.width}px;height:${box.height}px`;
  part.append(ghost);
  const end = target
    ? `translate(${target.left - box.left}px,${target.top - box.top}px) scale(${target.width / box.width},${target.height / box.height})`
    : 'scale(0.8)';
  const frames = [
    { transform: 'none', opacity: 1 },
    { transform: end, opacity: target ? 0.5 : 0 }
  ];
  const animation = animate(ghost, frames, MOVE_MILLIS);
  if (animation) {
    animation.onfinish = animation.oncancel = () => ghost.remove();
  } else {
    ghost.remove();
  }
}

function animate(
  element: HTMLElement,
  frames: Keyframe[],
  duration: number
): Animation | null {
  return typeof element.animate === 'function'
    ? element.animate(frames, { duration, easing: 'ease-in-out' })
    : null;
}
