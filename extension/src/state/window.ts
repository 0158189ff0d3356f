/** The positions of rows or columns that are drawn only while they are visible. */
export interface Lines {
  /** The start of each line, followed by the total length. */
  readonly tops: readonly number[];
}

export function linesOf(heights: readonly number[]): Lines {
  const tops = [0];
  heights.forEach(height => tops.push(tops[tops.length - 1] + height));
  return { tops };
}

export function totalHeight({ tops }: Lines): number {
  return tops[tops.length - 1];
}

/** Return the range of the visible rows, end exclusive, plus some rows before and after. */
export function visibleRange(
  { tops }: Lines,
  scrollTop: number,
  height: number,
  spare: number
): [number, number] {
  const count = tops.length - 1;
  const first = lineAt(tops, scrollTop);
  const last = lineAt(tops, scrollTop + height);
  return [Math.max(first - spare, 0), Math.min(last + 1 + spare, count)];
}

/** Return the scroll position closest to `scrollTop` at which a row is fully visible. */
export function scrollToShow(
  { tops }: Lines,
  index: number,
  scrollTop: number,
  height: number
): number {
  const [top, bottom] = [tops[index], tops[index + 1]];
  return top < scrollTop ? top : Math.max(scrollTop, bottom - height);
}

function lineAt(tops: readonly number[], offset: number): number {
  let [low, high] = [0, tops.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle] <= offset) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}
