/** Return the files of a picture, in document order. */
export function boxesOf(ring: Element): HTMLElement[] {
  return Array.from(ring.querySelectorAll<HTMLElement>('[data-box]'));
}

const PAGE = 10;

/** Return the index in a list that a key moves to. */
export function movedTo(
  key: string,
  at: number,
  count: number,
  isList: boolean
): number {
  const last = count - 1;
  switch (key) {
    case 'ArrowUp':
    case 'ArrowLeft':
      return Math.max(0, at - 1);
    case 'ArrowDown':
    case 'ArrowRight':
      return Math.min(last, at + 1);
    case 'PageUp':
      return isList ? Math.max(0, at - PAGE) : at;
    case 'PageDown':
      return isList ? Math.min(last, at + PAGE) : at;
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return at;
  }
}
