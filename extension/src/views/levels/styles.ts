/** The styles of the heat map of buckets and the tree of one bucket. */
export const LEVELS_STYLES = `
.pwv .pwv-heat { width: max-content; min-width: 100%; }
.pwv .pwv-row { display: flex; gap: 3px; margin-bottom: 3px; }
.pwv .pwv-matrix { --pwv-name: clamp(112px, 28cqw, 240px); }
.pwv .pwv-matrix { width: auto; min-width: calc(var(--pwv-name) + var(--pwv-columns) * 55px); }
.pwv .pwv-matrix .pwv-row { display: grid; grid-template-columns: var(--pwv-name) repeat(var(--pwv-columns), minmax(52px, 96px)); }
.pwv .pwv-heat:not(.pwv-matrix), .pwv .pwv-heat:not(.pwv-matrix) .pwv-row { width: 100%; flex-direction: column; }
.pwv .pwv-matrix .pwv-row-name { position: sticky; left: 0; background: var(--pwv-ground); z-index: 2; padding-right: 8px; font-size: 0.92em; line-height: 1.2; overflow-wrap: anywhere; align-self: center; }
.pwv [role='columnheader'] { text-align: center; font-size: 0.88em; }
.pwv [role='columnheader'].pwv-row-name { text-align: start; }
.pwv .pwv-flow { display: grid; grid-template-columns: repeat(auto-fill, minmax(54px, 1fr)); gap: 3px; }
.pwv .pwv-cell { border: 1px solid var(--pwv-border); border-radius: 4px; min-height: 28px; padding: 2px 4px; display: flex; flex-direction: column; align-items: center; justify-content: center; line-height: 1.15; cursor: pointer; font-variant-numeric: tabular-nums; white-space: nowrap; }
.pwv .pwv-cell[data-name]::before { content: attr(data-name); font-size: 0.76em; font-weight: 400; }
.pwv .pwv-cell:focus { outline: 3px solid var(--pwv-focus); outline-offset: 0; position: relative; z-index: 1; }
.pwv .pwv-cell:hover { border-color: var(--pwv-text); }
.pwv .pwv-cell[aria-selected='true'] { border-color: var(--pwv-text); box-shadow: inset 0 0 0 1.5px var(--pwv-text), inset 0 0 0 3px var(--pwv-ground); font-weight: 700; }
.pwv .pwv-ramp { width: 14px; height: 12px; border: 1px solid var(--pwv-border); }
.pwv .pwv-heat-scroll { max-height: 340px; overflow-y: auto; }
.pwv .pwv-part-heat-facts p { min-height: 2.9em; }

.pwv .pwv-tree-scroll { max-height: min(70vh, 720px); overflow-y: auto; border: 1px solid var(--pwv-border); border-radius: 6px; }
.pwv .pwv-plane { --pwv-least: 4px; --pwv-gutter: 92px; width: calc(100% * var(--pwv-zoom)); min-width: 300px; padding: 4px 0 0; }
.pwv .pwv-foot { position: sticky; bottom: 0; z-index: 4; background: var(--pwv-ground); }
.pwv .pwv-dense, .pwv .pwv-thin { --pwv-gutter: 64px; }
.pwv .pwv-l0 { --pwv-fill: var(--pwv-l0); --pwv-stroke: var(--pwv-l0-line); }
.pwv .pwv-middle { --pwv-fill: var(--pwv-middle); --pwv-stroke: var(--pwv-middle-line); }
.pwv .pwv-last { --pwv-fill: var(--pwv-last); --pwv-stroke: var(--pwv-last-line); }
.pwv .pwv-level + .pwv-level, .pwv .pwv-gap + .pwv-level { border-top: 1px solid var(--pwv-border); }
.pwv .pwv-run { display: flex; height: var(--pwv-lane); align-items: stretch; }
.pwv .pwv-run + .pwv-run { border-top: 1px dotted var(--pwv-border); }
.pwv .pwv-run-name { position: sticky; left: 0; z-index: 3; flex: 0 0 var(--pwv-gutter); display: flex; gap: 5px; align-items: center; padding-left: 6px; background: var(--pwv-ground); border-left: 4px solid var(--pwv-stroke, transparent); white-space: nowrap; overflow: hidden; }
.pwv .pwv-run-name small { color: var(--pwv-dim); }
.pwv .pwv-dense .pwv-run-name { font-size: 10px; line-height: 1; }
.pwv .pwv-thin .pwv-level .pwv-run-name b { clip-path: inset(50%); }
.pwv .pwv-thin .pwv-run:first-child .pwv-run-name { overflow: visible; }
.pwv .pwv-thin .pwv-level .pwv-run:first-child .pwv-run-name b { clip-path: none; font-size: 10px; line-height: 1; }
.pwv .pwv-track { position: relative; flex: 1; margin: 0 6px 0 4px; }
.pwv .pwv-file { position: absolute; bottom: 2px; overflow: hidden; background: var(--pwv-fill, var(--pwv-last)); border: 1px solid var(--pwv-stroke, var(--pwv-last-line)); border-radius: 3px; padding: 0 1px; cursor: pointer; scroll-margin: 24px 24px 24px 110px; }
.pwv .pwv-labeled { display: flex; flex-wrap: wrap; align-items: center; justify-content: center; font-size: 0.85em; line-height: 1.2; white-space: nowrap; }
/* A label that is wider than its bar wraps around this strut and is therefore hidden. */
.pwv .pwv-labeled::before { content: ''; width: 0; height: 100%; }
.pwv .pwv-crowded { --pwv-least: 2px; }
.pwv .pwv-crowded .pwv-file { border-width: 1px 0 0; border-radius: 0; }
.pwv .pwv-crowded .pwv-file:nth-child(even) { background-color: color-mix(in srgb, var(--pwv-stroke) 35%, var(--pwv-fill)); }
.pwv .pwv-file span { padding: 0 3px; }
.pwv .pwv-file { height: calc(var(--pwv-lane) - 4px); }
.pwv .pwv-roomy { --pwv-least: 10px; }
.pwv .pwv-beside { position: absolute; top: 0; bottom: 0; display: flex; align-items: center; white-space: nowrap; color: var(--pwv-dim); }
.pwv .pwv-deletes { background-image: repeating-linear-gradient(135deg, color-mix(in srgb, var(--pwv-stroke, var(--pwv-text)) 26%, transparent) 0 2px, transparent 2px 7px); }
.pwv .pwv-deletes span::before { content: 'D '; font-weight: 700; }
.pwv .pwv-file:hover { filter: brightness(0.96); border-width: 2px; z-index: 1; }
.pwv .pwv-file[aria-selected='true'] { box-shadow: inset 0 0 0 2px var(--pwv-text); border-color: var(--pwv-text); z-index: 1; }
/* The details describe the focused file, so the outline moves with the focus. */
.pwv .pwv-plane:focus-within .pwv-file[aria-selected='true']:not(:focus) { box-shadow: none; border-color: var(--pwv-stroke, var(--pwv-last-line)); }
.pwv .pwv-file:focus { z-index: 2; outline-offset: 0; outline-width: 3px; }
.pwv .pwv-new { outline: 2px dashed var(--pwv-fresh); outline-offset: -1px; }
.pwv .pwv-new:focus { outline: 3px solid var(--pwv-focus); }
.pwv .pwv-gap { color: var(--pwv-dim); font-size: 0.82em; padding: 0 0 0 10px; border-top: 1px solid var(--pwv-border); line-height: 1.6; }
.pwv .pwv-gap span { position: sticky; left: 10px; }
.pwv .pwv-overlap { height: 20px; border-top: 1px solid var(--pwv-border) !important; }
.pwv .pwv-stretch { position: absolute; top: 2px; bottom: 2px; display: flex; flex-wrap: wrap; justify-content: center; overflow: hidden; font-size: 0.8em; line-height: 16px; border-right: 1px solid var(--pwv-ground); font-variant-numeric: tabular-nums; }
.pwv .pwv-stretch::before { content: ''; width: 0; height: 100%; }
.pwv .pwv-axis { display: grid; grid-template-columns: fit-content(34%) minmax(0, 1fr) fit-content(34%); gap: 2px 8px; align-items: baseline; position: sticky; left: 0; width: calc(100% / var(--pwv-zoom)); padding: 3px 6px 3px calc(var(--pwv-gutter) + 4px); border-top: 1px solid var(--pwv-border); font-size: 0.85em; }
.pwv .pwv-axis em { font-style: normal; color: var(--pwv-dim); text-align: center; }
.pwv .pwv-position { grid-column: 1 / -1; height: 4px; border-radius: 2px; background: var(--pwv-faint); }
.pwv .pwv-position i { position: relative; display: block; height: 100%; border-radius: 2px; background: var(--pwv-dim); }
.pwv .pwv-key { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; overflow-wrap: anywhere; font-family: var(--jp-code-font-family, ui-monospace, monospace); }
.pwv .pwv-key[data-end='to'] { grid-column: 3; text-align: end; }
.pwv .pwv-swatch { display: inline-block; width: 14px; height: 12px; background-color: var(--pwv-fill, var(--pwv-border)); border: 1px solid var(--pwv-stroke, var(--pwv-dim)); border-radius: 2px; }
.pwv .pwv-zoom { display: inline-flex; gap: 4px; }
.pwv .pwv-part-facts { min-height: 60px; margin-top: 4px; }
/* A heat map with few columns leaves room for the tree beside it. */
@container (min-width: 860px) {
  .pwv.pwv-levels > .pwv-parts:has(.pwv-narrow) { --pwv-side: min(30cqw, 400px); display: flow-root; }
  .pwv.pwv-levels > .pwv-parts:has(.pwv-narrow) > :is(.pwv-part-heat, .pwv-part-heat-facts) { float: left; clear: left; width: var(--pwv-side); }
  .pwv.pwv-levels > .pwv-parts:has(.pwv-narrow) > :is(.pwv-part-tools, .pwv-part-tree, .pwv-part-facts) { margin-left: calc(var(--pwv-side) + 28px); }
  .pwv.pwv-levels > .pwv-parts:has(.pwv-narrow) > .pwv-part-table { clear: both; }
  .pwv .pwv-heat-scroll:has(.pwv-narrow) { max-height: max(340px, 62vh); }
  .pwv .pwv-narrow { --pwv-name: clamp(112px, 11cqw, 150px); min-width: 0; }
}
@container (max-width: 480px) {
  .pwv .pwv-plane { --pwv-gutter: 46px; }
  .pwv .pwv-run-name small { display: none; }
  .pwv .pwv-overlap .pwv-run-name small { display: inline; font-size: 9px; }
  .pwv .pwv-axis em { order: 1; grid-column: 1 / -1; }
  .pwv .pwv-axis { grid-template-columns: minmax(0, 1fr) 0 minmax(0, 1fr); }
  .pwv .pwv-facts { grid-template-columns: repeat(auto-fill, minmax(120px, 1fr)); }
}
@media (forced-colors: active) {
  .pwv .pwv-file, .pwv .pwv-cell { border-color: CanvasText; forced-color-adjust: auto; }
  .pwv .pwv-file[aria-selected='true'], .pwv .pwv-cell[aria-selected='true'] { outline: 3px solid Highlight; }
  .pwv :focus-visible { outline: 3px solid CanvasText; }
}
.pwv .pwv-part-tree { position: relative; }
.pwv .pwv-ghost { position: absolute; z-index: 3; transform-origin: 0 0; pointer-events: none; border: 1.5px solid var(--pwv-stroke, var(--pwv-l0-line)); border-radius: 3px; background: var(--pwv-fill, var(--pwv-l0)); }
`;
