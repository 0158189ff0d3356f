import { html, type Markup } from '../markup';
import type { Texts } from '../texts';
import type { Words } from '../words';
import { letterOf } from './marks';
import type { Bounds } from './painter';
import type { Curve } from './series';

export const CURVE_HEIGHT = 36;
export const LANE_HEIGHT = 48;
export const AXIS_HEIGHT = 34;
export const MAP_COMMITS_HEIGHT = 30;
export const MAP_CURVE_HEIGHT = 18;
const CURVE_NAMES: Record<Curve, keyof Words> = {
  rows: 'curveRows',
  bytes: 'curveBytes',
  files: 'curveFiles',
  runs: 'curveRuns'
};

/** The map with its brush, and the visible part; canvases are added to both plots. */
export const FRAME = html`<div class="pwv-map">
    <div class="pwv-map-names" data-part="map-names" aria-hidden="true"></div>
    <div class="pwv-plot" data-part="map" role="img">
      <div class="pwv-layer" data-part="brushes">
        <div class="pwv-brush" data-part="brush"><i></i><i></i></div>
      </div>
    </div>
  </div>
  <div class="pwv-time">
    <div class="pwv-lane-names" data-part="names" aria-hidden="true"></div>
    <div class="pwv-plot" data-part="plot">
      <div class="pwv-layer pwv-flags" data-part="flags"></div>
      <div
        class="pwv-layer pwv-lanes"
        data-part="lanes"
        role="listbox"
        aria-orientation="horizontal"
        data-ring="time"
      ></div>
      <div
        class="pwv-layer pwv-ticks"
        data-part="ticks"
        aria-hidden="true"
      ></div>
    </div>
  </div>`;

export function mapNamesMarkup(curves: readonly Curve[], texts: Texts): Markup {
  const entry = (name: string, height: number) =>
    html`<div style="height:${height}px"><small>${name}</small></div>`;
  return html`${entry(texts.format('commits'), MAP_COMMITS_HEIGHT)}${curves.map(
    curve => entry(texts.format(CURVE_NAMES[curve]), MAP_CURVE_HEIGHT)
  )}`;
}

/** Return the names of lanes and of curves; each curve has room for its visible range of values. */
export function namesMarkup(
  curves: readonly Curve[],
  flagsHeight: number,
  lanes: readonly string[],
  texts: Texts
): Markup {
  return html`${curves.map(
      curve =>
        html`<div class="pwv-curve-name" style="height:${CURVE_HEIGHT}px">
          <small>${texts.format(CURVE_NAMES[curve])}</small>
          <small data-curve="${curve}"></small>
        </div>`
    )}
    <div style="height:${flagsHeight}px"></div>
    ${lanes.map(
      kind =>
        html`<div style="height:${LANE_HEIGHT}px">
          <b>${letterOf(kind)}</b><small>${kind}</small>
        </div>`
    )}
    <div class="pwv-zone"><small>${texts.zone}</small></div>`;
}

/** Return the minimum and the maximum of a curve. */
export function boundsText(
  curve: Curve,
  bounds: Bounds | undefined,
  texts: Texts
): string {
  if (!bounds) {
    return '';
  }
  const text = (value: number) =>
    curve === 'bytes'
      ? texts.size(Math.round(value))
      : texts.count(Math.round(value));
  const [from, to] = [text(bounds.least), text(bounds.most)];
  return from === to ? from : texts.format('curveRange', { from, to });
}
