/** The styles of the snapshot lanes and of the tree of a catalog. */
export const TIMELINE_STYLES = `
.pwv .pwv-history { display: flex; flex-direction: column; gap: 6px; margin-bottom: 8px; }
.pwv .pwv-map, .pwv .pwv-time { display: flex; border: 1px solid var(--pwv-border); border-radius: 6px; overflow: hidden; }
.pwv .pwv-map-names, .pwv .pwv-lane-names { flex: none; width: 148px; contain: strict; border-right: 1px solid var(--pwv-border); }
.pwv .pwv-map-names div, .pwv .pwv-lane-names div { display: flex; gap: 6px; align-items: center; padding-left: 6px; white-space: nowrap; overflow: hidden; }
.pwv .pwv-map-names small, .pwv .pwv-lane-names small { color: var(--pwv-dim); overflow: hidden; text-overflow: ellipsis; }
.pwv .pwv-lane-names .pwv-curve-name { flex-direction: column; gap: 0; align-items: flex-start; justify-content: center; line-height: 1.25; }
.pwv .pwv-curve-name small { max-width: 100%; font-variant-numeric: tabular-nums; }
.pwv .pwv-plot { position: relative; flex: 1; min-width: 0; contain: strict; touch-action: pan-y; user-select: none; }
.pwv .pwv-plot canvas { display: block; }
.pwv [data-part='map'] { cursor: crosshair; }
.pwv [data-part='plot'] { cursor: grab; }
.pwv [data-part='plot']:active { cursor: grabbing; }
.pwv .pwv-brush { pointer-events: auto; position: absolute; inset: 0 auto 0 0; border: 1px solid var(--pwv-text); border-radius: 3px; background: color-mix(in srgb, var(--pwv-last-line) 16%, transparent); cursor: grab; }
.pwv .pwv-brush i { position: absolute; top: 0; bottom: 0; width: 6px; cursor: ew-resize; }
.pwv .pwv-brush i:first-child { left: -3px; }
.pwv .pwv-brush i:last-child { right: -3px; }
.pwv .pwv-layer { position: absolute; left: 0; top: 0; contain: strict; pointer-events: none; }
.pwv .pwv-flag { max-width: 140px; height: 17px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; padding: 0 6px 0 5px; font-size: 0.82em; line-height: 17px; background: var(--pwv-middle); border-left: 3px solid var(--pwv-middle-line); border-radius: 0 8px 8px 0; pointer-events: auto; }
.pwv .pwv-flags .pwv-flag { position: absolute; left: 0; top: 0; }
.pwv .pwv-left { border-left: 0; border-right: 3px solid var(--pwv-middle-line); border-radius: 8px 0 0 8px; }
.pwv .pwv-bare { padding: 0; width: 0; background: none; }
.pwv .pwv-pin-branch { background: var(--pwv-l0); border-color: var(--pwv-l0-line); }
.pwv .pwv-pin-consumer { background: var(--pwv-last); border-color: var(--pwv-last-line); }
.pwv .pwv-pin-schema { background: var(--pwv-faint); border-color: var(--pwv-fresh); }
.pwv .pwv-mark { position: absolute; left: 0; top: 0; pointer-events: auto; display: flex; align-items: center; justify-content: center; border: 1.5px solid var(--pwv-stroke); background: var(--pwv-fill); color: var(--pwv-text); font-size: 11px; font-weight: 600; line-height: 1; cursor: pointer; }
.pwv .pwv-mark small { position: absolute; top: calc(100% + 5px); left: 50%; transform: translateX(-50%); font-size: 10px; font-weight: 400; line-height: 11px; color: var(--pwv-dim); font-variant-numeric: tabular-nums; pointer-events: none; padding: 0 2px; border-radius: 3px; background: color-mix(in srgb, var(--pwv-ground) 80%, transparent); }
.pwv .pwv-kind-append { --pwv-fill: var(--pwv-l0); --pwv-stroke: var(--pwv-l0-line); border-radius: 50%; }
.pwv .pwv-kind-compact { --pwv-fill: var(--pwv-last); --pwv-stroke: var(--pwv-last-line); border-radius: 3px; }
.pwv .pwv-kind-overwrite { --pwv-fill: var(--pwv-middle); --pwv-stroke: var(--pwv-middle-line); border-radius: 50% 0; }
.pwv .pwv-kind-analyze, .pwv .pwv-kind-other { --pwv-fill: var(--pwv-faint); --pwv-stroke: var(--pwv-dim); border-radius: 50%; border-style: dashed; }
.pwv .pwv-mark:hover { filter: brightness(0.96); z-index: 1; border-width: 2.5px; }
.pwv .pwv-mark[aria-selected='true'] { box-shadow: 0 0 0 2px var(--pwv-ground), 0 0 0 4px var(--pwv-text); z-index: 1; }
.pwv .pwv-mark[data-end='true'] { box-shadow: 0 0 0 2px var(--pwv-ground), 0 0 0 4px var(--pwv-focus); }
.pwv .pwv-mark:focus { outline: 3px solid var(--pwv-focus); outline-offset: 4px; z-index: 2; }
.pwv .pwv-ticks > span { position: absolute; left: 0; top: 0; width: 0; height: 34px; }
.pwv .pwv-ticks > span > span { position: absolute; white-space: nowrap; font-size: 0.8em; line-height: 14px; color: var(--pwv-dim); font-variant-numeric: tabular-nums; }
.pwv .pwv-tick > span { top: 3px; transform: translateX(-50%); }
.pwv .pwv-tick::before { content: ''; position: absolute; top: 0; height: 4px; border-left: 1px solid var(--pwv-dim); }
.pwv .pwv-day > span { top: 18px; padding: 0 3px; border-left: 1px solid var(--pwv-border); }
.pwv .pwv-before > span { transform: translateX(-100%); border-left: 0; border-right: 1px solid var(--pwv-border); }
.pwv .pwv-elsewhere { margin: 0 0 8px; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 4px 8px; }
.pwv .pwv-elsewhere li { margin: 0; }
.pwv .pwv-elsewhere .pwv-flag { max-width: 100%; height: auto; white-space: normal; overflow-wrap: anywhere; line-height: 1.25; padding-block: 2px; }
.pwv .pwv-expired { background: var(--pwv-faint); border-left-style: dashed; }
.pwv .pwv-search { font: inherit; color: var(--pwv-text); background: var(--pwv-ground); border: 1px solid var(--pwv-border); border-radius: 4px; padding: 3px 8px; width: min(320px, 100%); margin-bottom: 6px; }
.pwv .pwv-found ul { list-style: none; margin: 0 0 8px; padding: 0; max-height: 168px; overflow-y: auto; border: 1px solid var(--pwv-border); border-radius: 6px; }
.pwv .pwv-found li { margin: 0; }
.pwv .pwv-found button { display: flex; gap: 12px; width: 100%; text-align: start; background: none; border: 0; border-radius: 0; white-space: nowrap; overflow: hidden; font-variant-numeric: tabular-nums; }
.pwv .pwv-found button:hover { background: var(--pwv-faint); }
.pwv .pwv-found button:focus-visible { outline-offset: -2px; }
.pwv .pwv-found button span:last-child { overflow: hidden; text-overflow: ellipsis; }
.pwv .pwv-columns { display: grid; grid-template-columns: minmax(180px, 260px) minmax(0, 1fr); gap: 16px; }
.pwv .pwv-part-tree-items { overflow: auto; max-height: 70vh; border-right: 1px solid var(--pwv-border); }
.pwv .pwv-part-tree-items [role='treeitem'] { padding: 2px 8px; border-radius: 4px; cursor: pointer; overflow-wrap: anywhere; }
.pwv .pwv-part-tree-items [aria-expanded]::before { content: '▸ '; }
.pwv .pwv-part-tree-items [aria-expanded='true']::before { content: '▾ '; }
.pwv .pwv-part-tree-items [aria-level='2'], .pwv .pwv-part-tree-items p { margin-left: 18px; }
.pwv .pwv-part-tree-items [role='treeitem']:hover { background: var(--pwv-faint); }
.pwv .pwv-part-tree-items [aria-selected='true'] { background: var(--pwv-last); font-weight: 600; }
.pwv .pwv-part-tree-items [role='treeitem']:focus-visible { outline-offset: -2px; }
.pwv .pwv-error { border: 1px solid var(--pwv-error); border-radius: 6px; padding: 8px 10px; }
.pwv .pwv-part + .pwv-part h4 { margin: 14px 0 6px; font-size: 1em; }
@container (max-width: 560px) {
  .pwv .pwv-columns { grid-template-columns: 1fr; }
  .pwv .pwv-part-tree-items { border-right: 0; max-height: 240px; }
  .pwv .pwv-map-names, .pwv .pwv-lane-names { width: 34px; }
  .pwv .pwv-map-names small, .pwv .pwv-lane-names small { display: none; }
  /* The names of curves are drawn over the plot, because it is too narrow for a column of names. */
  .pwv .pwv-lane-names { contain: layout style size; position: relative; z-index: 1; pointer-events: none; }
  .pwv .pwv-lane-names .pwv-curve-name { flex-direction: row; gap: 6px; align-items: flex-start; justify-content: flex-start; width: max-content; padding-left: 40px; overflow: visible; }
  .pwv .pwv-lane-names .pwv-curve-name small { display: block; flex: none; max-width: none; overflow: visible; padding: 0 2px; border-radius: 3px; background: color-mix(in srgb, var(--pwv-ground) 70%, transparent); }
}
@media (forced-colors: active) {
  .pwv .pwv-mark { border-color: CanvasText; forced-color-adjust: auto; }
  .pwv .pwv-mark[aria-selected='true'] { outline: 3px solid Highlight; }
}
`;
