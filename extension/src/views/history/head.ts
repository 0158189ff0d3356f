import type { TimelineValue } from '../../contract';
import { html, type Markup } from '../markup';
import type { Texts } from '../texts';
import type { HistoryLoader } from './loader';
import type { Spacing } from './scale';

/** Return the title of a history and the tools for moving in it. */
export function headMarkup(
  timeline: TimelineValue,
  spacing: Spacing,
  isLive: boolean,
  texts: Texts
): Markup {
  const { snapshots, total, next } = timeline;
  const title = texts.format('timelineTitle', { table: timeline.table });
  if (snapshots.length === 0) {
    return html`<h3>${title}</h3>
      <p class="pwv-empty">${texts.format('noSnapshots')}</p>`;
  }
  const count =
    isLive || snapshots.length === total
      ? texts.format('snapshotsShown', { n: total })
      : texts.format('snapshotsPage', {
          shown: texts.count(snapshots.length),
          n: total
        });
  const option = (value: Spacing, text: string) =>
    html`<option value="${value}" ${value === spacing && 'selected'}>
      ${text}
    </option>`;
  const tool = (name: string, text: string, label = text) =>
    html`<button
      type="button"
      data-focus="${name}"
      data-tool="${name}"
      aria-label="${label}"
    >
      ${text}
    </button>`;
  return html`<h3>${title} <small>${count}</small></h3>
    <div class="pwv-tools">
      ${!isLive && next !== null && html`<button type="button" data-focus="older" data-more="${next}">${texts.format('older')}</button>`}
      <label
        >${texts.format('spacing')}
        <select data-focus="spacing">
          ${option('snapshot', texts.format('bySnapshot'))}${option('time', texts.format('byTime'))}
        </select></label
      >
      <span class="pwv-zoom">
        ${tool('zoom-out', '−', texts.format('zoomOut'))}
        ${tool('zoom-in', '+', texts.format('zoomIn'))}
        ${tool('whole', texts.format('zoomWhole'))}
        ${tool('newest', texts.format('zoomNewest'))}
      </span>
      <span class="pwv-dim">${texts.format('markSize')}</span>
    </div>`;
}

/** Return how much of a history was read, or why it cannot be read; '' if it is complete. */
export function progressText(
  { progress, readError }: HistoryLoader,
  texts: Texts
): string {
  if (readError !== null) {
    return texts.format('historyTrouble', { message: readError });
  }
  return progress === null
    ? ''
    : texts.format('historyRead', {
        read: texts.count(progress.read),
        n: BigInt(progress.total)
      });
}
