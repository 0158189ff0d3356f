import type { BucketValue } from '../../contract';
import { html, type Markup } from '../markup';
import type { Texts } from '../texts';

/** The wheel delta that zooms by one step. */
const WHEEL_STEP = 100;
const INTEGER = /^-?\d+$/;
/** The precision of interpolated keys: the number of steps on the axis. */
const PARTS = 1_000_000;
const BIG_PARTS = BigInt(PARTS);

/** Return the axis of a bucket; it stays visible and shows the keys at the ends of the visible part. */
export function axisMarkup(
  bucket: BucketValue,
  keys: readonly string[],
  zoom: number,
  texts: Texts
): Markup {
  if (keys.length === 0) {
    return html`<div class="pwv-axis" role="presentation">
      ${positionBar(zoom)}<span></span><em>${texts.format('appendAxis')}</em
      ><span></span>
    </div>`;
  }
  const [from, to] = endsOf(bucket, 0, 1);
  const note = bucket.to_scale ? '' : `; ${texts.format('notToScale')}`;
  const key = (end: string, text: string) =>
    html`<span class="pwv-key" data-end="${end}" title="${text}"
      >${text}</span
    >`;
  return html`<div class="pwv-axis" role="presentation">
    ${positionBar(zoom)}${key('from', from)}
    <em>${texts.format('keyAxis', { keys: keys.join(', ') })}${note}</em>
    ${from === to ? html`<span></span>` : key('to', to)}
  </div>`;
}

/** Return a bar that shows which part of the axis is visible. */
function positionBar(zoom: number): Markup {
  return zoom > 1
    ? html`<div class="pwv-position" aria-hidden="true"><i></i></div>`
    : html``;
}

/**
 * Return the keys at the ends of a part of the axis, 0 to 1. On an axis to scale, they are interpolated numbers;
 * otherwise they are the nearest keys outside of the part at which files begin or end.
 */
export function endsOf(
  { runs, to_scale: toScale }: Pick<BucketValue, 'runs' | 'to_scale'>,
  from: number,
  to: number
): [string, string] {
  const bounds = runs
    .flatMap(run => run.files)
    .flatMap(file => [
      { at: file.start, key: file.min_key ?? '' },
      { at: file.end, key: file.max_key ?? '' }
    ])
    .sort((one, other) => one.at - other.at);
  const first = bounds[0]?.key ?? '';
  const last = bounds[bounds.length - 1]?.key ?? '';
  if (toScale && INTEGER.test(first) && INTEGER.test(last)) {
    const length = BigInt(last) - BigInt(first);
    const at = (share: number) =>
      BigInt(first) + (length * BigInt(Math.round(share * PARTS))) / BIG_PARTS;
    return [String(at(from)), String(at(to))];
  }
  const before = [...bounds].reverse().find(({ at }) => at <= from);
  const after = bounds.find(({ at }) => at >= to);
  return [before?.key ?? first, after?.key ?? last];
}

/** Show the keys at the ends of the visible part, and its position on the axis. */
export function showEnds(
  scroll: HTMLElement | null,
  bucket: BucketValue
): void {
  const track = scroll?.querySelector<HTMLElement>('.pwv-track');
  if (!scroll || !track || track.offsetWidth === 0) {
    return;
  }
  const width = track.offsetWidth;
  const share = (x: number) => Math.min(Math.max(x / width, 0), 1);
  const from = share(scroll.scrollLeft);
  const to = share(scroll.scrollLeft + scroll.clientWidth - track.offsetLeft);
  const bar = scroll.querySelector<HTMLElement>('.pwv-position > i');
  if (bar) {
    bar.style.left = `${from * 100}%`;
    bar.style.width = `${(to - from) * 100}%`;
  }
  const keys = endsOf(bucket, from, to);
  ['from', 'to'].forEach((end, index) => {
    const key = scroll.querySelector<HTMLElement>(`[data-end="${end}"]`);
    if (key) {
      key.textContent = key.title = keys[index];
    }
  });
}

/** Call `zoom` with a direction and the position of the pointer when the wheel is turned over the tree with Ctrl. */
export function watchWheel(
  root: HTMLElement,
  zoom: (direction: 1 | -1, x: number) => void
): void {
  let turned = 0;
  const onWheel = (event: WheelEvent): void => {
    const scroll = (event.target as Element).closest('.pwv-tree-scroll');
    if (!scroll || !(event.ctrlKey || event.metaKey)) {
      return;
    }
    event.preventDefault();
    turned += event.deltaY;
    if (Math.abs(turned) >= WHEEL_STEP) {
      const { left } = scroll.getBoundingClientRect();
      zoom(turned < 0 ? 1 : -1, event.clientX - left);
      turned = 0;
    }
  };
  root.addEventListener('wheel', onWheel, { passive: false });
}

export function zoomButton(
  name: string,
  sign: string,
  label: string,
  disabled: boolean
): Markup {
  return html`<button
    type="button"
    data-focus="${name}"
    aria-label="${label}"
    aria-disabled="${disabled ? 'true' : 'false'}"
  >
    ${sign}
  </button>`;
}
