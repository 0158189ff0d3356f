/** The styles of the list of compactions, the bucket before and after, the replay, and the costs. */
export const COMPACTION_STYLES = `
.pwv .pwv-comp-list { max-height: 180px; overflow-y: auto; border: 1px solid var(--pwv-border); border-radius: 8px; margin: 0 0 10px; }
.pwv .pwv-comp { display: grid; grid-template-columns: 64px minmax(116px, 168px) minmax(70px, 1fr) minmax(150px, 1.6fr) 140px; gap: 0 10px; align-items: center; padding: 4px 10px; cursor: pointer; border-bottom: 1px solid color-mix(in srgb, var(--pwv-border) 55%, transparent); font-variant-numeric: tabular-nums; content-visibility: auto; contain-intrinsic-size: auto 29px; }
.pwv .pwv-comp:last-child { border-bottom: 0; }
.pwv .pwv-comp:hover { background: var(--pwv-faint); }
.pwv .pwv-comp[aria-selected='true'] { background: color-mix(in srgb, var(--pwv-last-line) 15%, var(--pwv-ground)); box-shadow: inset 3px 0 0 var(--pwv-last-line); }
.pwv .pwv-comp:focus { outline: 2px solid var(--pwv-focus); outline-offset: -2px; }
.pwv .pwv-comp > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.pwv .pwv-comp-time { color: var(--pwv-dim); text-align: end; font-size: 0.9em; }
.pwv .pwv-rule { display: inline-flex; gap: 6px; align-items: center; white-space: nowrap; }
.pwv .pwv-rule i { flex: 0 0 18px; height: 18px; border-radius: 5px; font: 700 11px/17px var(--jp-ui-font-family, system-ui, sans-serif); text-align: center; background: var(--pwv-fill); border: 1px solid var(--pwv-stroke); color: var(--pwv-text); }
.pwv .pwv-rule-a { --pwv-fill: var(--pwv-last); --pwv-stroke: var(--pwv-last-line); }
.pwv .pwv-rule-b { --pwv-fill: var(--pwv-middle); --pwv-stroke: var(--pwv-middle-line); }
.pwv .pwv-rule-c { --pwv-fill: var(--pwv-l0); --pwv-stroke: var(--pwv-l0-line); }
.pwv .pwv-rule-u { --pwv-fill: transparent; --pwv-stroke: var(--pwv-dim); }
.pwv .pwv-rule-u i { border-style: dashed; }
.pwv .pwv-flowbar { display: grid; grid-template-columns: minmax(52px, 1fr) auto minmax(52px, 1fr); gap: 6px; align-items: center; }
.pwv .pwv-flowbar b { height: 10px; border-radius: 3px; background: var(--pwv-l0-line); opacity: 0.8; min-width: 2px; }
.pwv .pwv-flowbar b:first-child { justify-self: end; }
.pwv .pwv-flowbar b:last-child { background: var(--pwv-last-line); }
.pwv .pwv-flowbar small { color: var(--pwv-dim); }

.pwv .pwv-comp-tabs { display: flex; gap: 2px; border-bottom: 1px solid var(--pwv-border); margin: 0 0 12px; }
.pwv .pwv-comp-tabs button { border: 0; border-bottom: 2px solid transparent; border-radius: 0; background: none; padding: 4px 12px; color: var(--pwv-dim); }
.pwv .pwv-comp-tabs button[aria-selected='true'] { color: var(--pwv-text); border-bottom-color: var(--pwv-last-line); font-weight: 600; }

.pwv .pwv-why { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; margin: 0 0 8px; }
.pwv .pwv-why p { flex: 1 1 320px; margin: 0; font-size: 1.06em; }
.pwv.pwv-compaction .pwv-part-verdict .pwv-facts { grid-template-columns: repeat(auto-fill, minmax(216px, 1fr)); margin-bottom: 12px; }
.pwv .pwv-origin { border: 1px solid var(--pwv-border); border-radius: 10px; padding: 0 8px; font-size: 0.85em; color: var(--pwv-dim); white-space: nowrap; }
.pwv .pwv-origin-unexplained { border-style: dashed; }
.pwv .pwv-numbers { display: flex; flex-wrap: wrap; gap: 4px 6px; margin: 0 0 10px; }
.pwv .pwv-numbers span { background: var(--pwv-faint); border-radius: 4px; padding: 1px 7px; font-size: 0.88em; font-variant-numeric: tabular-nums; }
.pwv .pwv-numbers span em { font-style: normal; color: var(--pwv-dim); margin-right: 5px; }
.pwv .pwv-story { display: block; width: 100%; overflow: visible; }
.pwv .pwv-story text { fill: var(--pwv-text); font: 11px var(--jp-ui-font-family, system-ui, sans-serif); pointer-events: none; }
.pwv .pwv-story .pwv-side { font-size: 12px; font-weight: 600; }
.pwv .pwv-story .pwv-soft { fill: var(--pwv-dim); }
.pwv .pwv-story .pwv-lane { stroke: var(--pwv-border); stroke-dasharray: 1 4; opacity: 0.9; }
.pwv .pwv-story .pwv-box rect { fill: var(--pwv-fill); stroke: var(--pwv-stroke); stroke-width: 1.2; }
.pwv .pwv-story .pwv-box { cursor: pointer; outline: none; }
.pwv .pwv-story .pwv-box:focus rect { stroke: var(--pwv-focus); stroke-width: 3; }
.pwv .pwv-story .pwv-box:hover rect { filter: brightness(0.95); }
.pwv .pwv-story .pwv-was-kept rect { opacity: 0.34; }
.pwv .pwv-story .pwv-was-kept text { opacity: 0.6; }
.pwv .pwv-story .pwv-was-moved rect { stroke-dasharray: 4 2; }
.pwv .pwv-story .pwv-was-read rect { stroke-width: 1.6; }
.pwv .pwv-story .pwv-was-written rect { stroke-width: 2; }
.pwv .pwv-story .pwv-ribbon { opacity: 0.34; transition: opacity 120ms; pointer-events: none; }
.pwv .pwv-story .pwv-ribbon-moved { fill: none; stroke: var(--pwv-middle-line); stroke-width: 1.6; stroke-dasharray: 5 3; opacity: 0.9; }
.pwv .pwv-story[data-lit] .pwv-ribbon { opacity: 0.07; }
.pwv .pwv-story[data-lit] .pwv-ribbon.pwv-lit { opacity: 0.5; }
.pwv .pwv-story stop.pwv-from { stop-color: var(--pwv-l0-line); }
.pwv .pwv-story stop.pwv-through { stop-color: var(--pwv-middle-line); }
.pwv .pwv-story stop.pwv-to { stop-color: var(--pwv-last-line); }
.pwv .pwv-faded { opacity: 0.34; }
.pwv .pwv-dashed { border-style: dashed; }

.pwv .pwv-replay-stage { position: relative; border: 1px solid var(--pwv-border); border-radius: 8px; overflow: hidden; min-height: 120px; }
.pwv .pwv-replay-stage canvas { display: block; }
.pwv .pwv-replay-bar { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin: 8px 0 6px; }
.pwv .pwv-replay-bar input { flex: 1 1 180px; min-width: 120px; accent-color: var(--pwv-last-line); }
.pwv .pwv-replay-marks { height: 12px; position: relative; margin: -4px 0 4px; }
.pwv .pwv-replay-marks i { position: absolute; top: 1px; width: 2px; height: 8px; margin-left: -1px; border-radius: 1px; background: var(--pwv-last-line); }

.pwv .pwv-curves { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 380px), 1fr)); gap: 16px 24px; margin: 0 0 8px; }
.pwv .pwv-curves.pwv-plotted { grid-template-columns: repeat(auto-fit, minmax(min(100%, 190px), 1fr)); gap: 2px 24px; }
.pwv .pwv-plotted h4 { justify-content: flex-start; }
.pwv .pwv-curve { min-width: 0; margin: 0; }
.pwv .pwv-curve h4 { margin: 0; font-size: 1em; font-weight: 600; display: flex; justify-content: space-between; gap: 8px; }
.pwv .pwv-curve h4 b { font-variant-numeric: tabular-nums; }
.pwv .pwv-curve p { margin: 0 0 4px; color: var(--pwv-dim); font-size: 0.85em; }
.pwv .pwv-curve svg { display: block; width: 100%; height: 116px; overflow: visible; }
.pwv .pwv-curve path.pwv-line { fill: none; stroke: var(--pwv-stroke); stroke-width: 1.8; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.pwv .pwv-curve path.pwv-area { fill: var(--pwv-fill); opacity: 0.6; }
.pwv .pwv-curve line { stroke: var(--pwv-border); vector-effect: non-scaling-stroke; }
.pwv .pwv-curve .pwv-ends { display: flex; justify-content: space-between; color: var(--pwv-dim); font-size: 0.82em; font-variant-numeric: tabular-nums; }
.pwv .pwv-story-link { margin: 8px 0 0; }
@container (max-width: 620px) {
  .pwv .pwv-comp { grid-template-columns: 52px minmax(96px, 1fr) minmax(130px, 1.4fr); }
  .pwv .pwv-comp-where, .pwv .pwv-comp-time { display: none; }
}
@container (max-width: 460px) {
  .pwv .pwv-comp { grid-template-columns: 44px minmax(0, 1fr); gap: 2px 8px; contain-intrinsic-size: auto 48px; }
  .pwv .pwv-comp > :nth-child(4) { grid-column: 2; }
}
@media (prefers-reduced-motion: reduce) {
  .pwv .pwv-story .pwv-ribbon { transition: none; }
}
`;
