/** The lanes of snapshots, and the tree of a catalog. */
export const TIMELINE_STYLES = `
.pwv .pwv-time { display: flex; border: 1px solid var(--pwv-border); border-radius: 6px; overflow: hidden; }
.pwv .pwv-time > .pwv-scroll { flex: 1; min-width: 0; display: flex; }
.pwv .pwv-lane-names { flex: 0 0 98px; border-right: 1px solid var(--pwv-border); }
.pwv .pwv-lane-names div { display: flex; gap: 6px; align-items: center; padding-left: 6px; white-space: nowrap; overflow: hidden; }
.pwv .pwv-lane-names small { color: var(--pwv-dim); }
.pwv .pwv-lane-names div:first-child small { white-space: normal; line-height: 1.2; }
.pwv .pwv-strip { position: relative; flex: 1 0 auto; }
.pwv .pwv-line { display: block; margin-bottom: 4px; }
.pwv .pwv-line polyline { fill: none; stroke: var(--pwv-last-line); stroke-width: 1.5; }
.pwv .pwv-line polygon { fill: var(--pwv-last); opacity: 0.7; }
.pwv .pwv-flags { position: relative; }
.pwv .pwv-flag { max-width: 120px; height: 17px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; padding: 0 6px 0 5px; font-size: 0.82em; line-height: 17px; background: var(--pwv-middle); border-left: 3px solid var(--pwv-middle-line); border-radius: 0 8px 8px 0; }
.pwv .pwv-flags .pwv-flag { position: absolute; }
.pwv .pwv-left { border-left: 0; border-right: 3px solid var(--pwv-middle-line); border-radius: 8px 0 0 8px; }
.pwv .pwv-lanes { position: relative; background-image: repeating-linear-gradient(to bottom, var(--pwv-border) 0 1px, transparent 1px var(--pwv-lane)); }
.pwv .pwv-mark { position: absolute; transform: translate(-50%, -50%); display: flex; align-items: center; justify-content: center; border: 1.5px solid var(--pwv-stroke); background: var(--pwv-fill); color: var(--pwv-text); font-size: 11px; font-weight: 600; line-height: 1; cursor: pointer; scroll-margin: 24px; }
.pwv .pwv-kind-append { --pwv-fill: var(--pwv-l0); --pwv-stroke: var(--pwv-l0-line); border-radius: 50%; }
.pwv .pwv-kind-compact { --pwv-fill: var(--pwv-last); --pwv-stroke: var(--pwv-last-line); border-radius: 3px; }
.pwv .pwv-kind-overwrite { --pwv-fill: var(--pwv-middle); --pwv-stroke: var(--pwv-middle-line); border-radius: 50% 0; }
.pwv .pwv-kind-analyze, .pwv .pwv-kind-other { --pwv-fill: var(--pwv-faint); --pwv-stroke: var(--pwv-dim); border-radius: 50%; border-style: dashed; }
.pwv .pwv-mark:hover { filter: brightness(0.96); z-index: 1; border-width: 2.5px; }
.pwv .pwv-mark[aria-selected='true'] { box-shadow: 0 0 0 2px var(--pwv-ground), 0 0 0 4px var(--pwv-text); z-index: 1; }
.pwv .pwv-mark:focus { outline: 3px solid var(--pwv-focus); outline-offset: 4px; z-index: 2; }
.pwv .pwv-ticks { position: relative; height: 46px; border-top: 1px solid var(--pwv-border); overflow: hidden; }
.pwv .pwv-ticks span { position: absolute; white-space: nowrap; font-size: 0.8em; line-height: 14px; color: var(--pwv-dim); }
.pwv .pwv-ticks .pwv-tick { top: 1px; transform: translateX(-50%); font-variant-numeric: tabular-nums; }
.pwv .pwv-ticks .pwv-day { top: 16px; padding-left: 3px; border-left: 1px solid var(--pwv-border); }
.pwv .pwv-ticks .pwv-schema { top: 31px; padding-left: 3px; border-left: 2px solid var(--pwv-fresh); color: var(--pwv-text); }
.pwv .pwv-elsewhere { flex: none; margin: 0; padding: 6px 6px 0 4px; list-style: none; display: flex; flex-direction: column; gap: 4px; border-right: 1px dashed var(--pwv-border); font-size: 0.95em; }
.pwv .pwv-elsewhere li { margin: 0; }
.pwv .pwv-elsewhere .pwv-flag { max-width: 100%; height: auto; white-space: normal; overflow-wrap: anywhere; line-height: 1.25; padding-block: 2px; }
.pwv .pwv-expired { background: var(--pwv-faint); border-left-style: dashed; }
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
  .pwv .pwv-lane-names { flex-basis: 34px; }
  .pwv .pwv-lane-names small { display: none; }
}
`;
