import type { TimelineValue } from '../../contract';
import { html, type Markup } from '../markup';
import type { Texts } from '../texts';
import type { HistoryLoader } from './loader';
import type { Spacing } from './scale';

/** Return the title of a history and the tools to move in it. */
export function headMarkup(
  timeline: TimelineValue,
  spacing: Spacing,
  isLive: boolean,
  texts: Texts
): Markup {
  const { snapshots, total, next } = timeline;
  const title = texts.say('timelineTitle', { table: timeline.table });
  if (snapshots.length === 0) {
    return html`<h3>${title}</h3>
      <p class="pwv-empty">${texts.say('noSnapshots')}</p>`;
  }
  const count =
    isLive || snapshots.length === total
      ? texts.say('snapshotsShown', { n: total })
      : texts.say('snapshotsPage', {
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
      ${!isLive && next !== null && html`<button type="button" data-focus="older" data-more="${next}">${texts.say('older')}</button>`}
      <label
        >${texts.say('spacing')}
        <select data-focus="spacing">
          ${option('snapshot', texts.say('bySnapshot'))}${option('time', texts.say('byTime'))}
        </select></label
      >
      <span class="pwv-zoom">
        ${tool('zoom-out', '−', texts.say('zoomOut'))}
        ${tool('zoom-in', '+', texts.say('zoomIn'))}
        ${tool('whole', texts.say('zoomWhole'))}
        ${tool('newest', texts.say('zoomNewest'))}
      </span>
      <span class="pwv-dim">${texts.say('markSize')}</span>
    </div>`;
}

/** Return how far a history was read, or why it cannot be; '' if all of it is there. */
export function progressText(
  { progress, trouble }: HistoryLoader,
  texts: Texts
): string {
  if (trouble !== null) {
    return texts.say('historyTrouble', { message: trouble });
  }
  return progress === null
    ? ''
    : texts.say('historyRead', {
        read: texts.count(progress.read),
        total: texts.count(progress.total)
      });
}
