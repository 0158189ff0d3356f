/** The styles of a row's life: lanes, beads, and the table of columns. */
export const BIOGRAPHY_STYLES = `
.pwv .pwv-row-form { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin: 0 0 8px; }
.pwv .pwv-row-form label { display: inline-flex; gap: 4px; align-items: center; }
.pwv .pwv-row-form .pwv-row-where { flex: 1 1 240px; }
.pwv .pwv-row-form .pwv-row-where input { flex: 1; min-width: 0; }
.pwv .pwv-row-form input { font: inherit; color: var(--pwv-text); background: var(--pwv-ground); border: 1px solid var(--pwv-border); border-radius: 4px; padding: 2px 6px; min-height: 26px; width: 15ch; }
@supports (field-sizing: content) {
  .pwv .pwv-row-form input { field-sizing: content; width: auto; min-width: 10ch; max-width: 100%; box-sizing: border-box; }
}
.pwv .pwv-life { display: grid; grid-template-columns: minmax(72px, max-content) minmax(0, 1fr); border: 1px solid var(--pwv-border); border-radius: 6px; }
.pwv .pwv-life-names { border-right: 1px solid var(--pwv-border); max-width: 200px; }
.pwv .pwv-life-names div { height: 44px; padding: 0 8px; display: flex; flex-direction: column; justify-content: center; line-height: 1.2; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.pwv .pwv-life-names small { color: var(--pwv-dim); overflow: hidden; text-overflow: ellipsis; }
.pwv .pwv-life svg { display: block; }
.pwv .pwv-life text { font-size: 11px; fill: var(--pwv-text); font-variant-numeric: tabular-nums; }
.pwv .pwv-life .pwv-lane-line { stroke: var(--pwv-border); }
.pwv .pwv-life .pwv-stay { stroke-width: 6; stroke: var(--pwv-last-line); stroke-opacity: 0.5; }
.pwv .pwv-life .pwv-of-write .pwv-stay { stroke: var(--pwv-l0-line); }
.pwv .pwv-life .pwv-merge { fill: none; stroke: var(--pwv-dim); stroke-dasharray: 4 3; }
.pwv .pwv-bead { cursor: pointer; outline: none; }
.pwv .pwv-bead :is(circle, rect) { fill: var(--pwv-last); stroke: var(--pwv-last-line); stroke-width: 1.5; }
.pwv .pwv-bead.pwv-of-write :is(circle, rect) { fill: var(--pwv-l0); stroke: var(--pwv-l0-line); }
.pwv .pwv-bead.pwv-delete :is(circle, rect) { stroke: var(--pwv-poor); stroke-width: 2.5; }
.pwv .pwv-bead.pwv-gone :is(circle, rect) { fill: color-mix(in srgb, var(--pwv-last) 45%, var(--pwv-ground)); }
.pwv .pwv-bead.pwv-gone.pwv-of-write :is(circle, rect) { fill: color-mix(in srgb, var(--pwv-l0) 45%, var(--pwv-ground)); }
.pwv .pwv-life .pwv-number { font-size: 10px; fill: var(--pwv-dim); font-weight: 600; paint-order: stroke; stroke: var(--pwv-ground); stroke-width: 3px; }
.pwv .pwv-bead:hover :is(circle, rect) { stroke-width: 3; }
.pwv .pwv-bead[data-won] :is(circle, rect) { stroke: var(--pwv-fresh); stroke-width: 4; }
.pwv .pwv-bead[aria-pressed='true'] :is(circle, rect) { stroke: var(--pwv-text); stroke-width: 3; }
.pwv .pwv-bead:focus :is(circle, rect) { stroke: var(--pwv-focus); stroke-width: 4; }
.pwv .pwv-commit { cursor: pointer; outline: none; }
.pwv .pwv-commit rect { fill: transparent; }
.pwv .pwv-commit:focus rect { stroke: var(--pwv-focus); stroke-width: 2; }
.pwv .pwv-commit[aria-pressed='true'] rect, .pwv .pwv-commit:hover rect { fill: var(--pwv-faint); }
.pwv .pwv-cross { font-weight: 700; fill: var(--pwv-poor) !important; }
.pwv .pwv-fields td { white-space: normal; overflow-wrap: anywhere; max-width: 340px; }
.pwv .pwv-fields td:nth-child(5) { overflow-wrap: break-word; }
.pwv .pwv-fields tr[data-won] { background: color-mix(in srgb, var(--pwv-fresh) 16%, transparent); }
.pwv .pwv-fields th[scope='row'] { font-weight: 600; white-space: normal; overflow-wrap: anywhere; max-width: 180px; }
.pwv .pwv-fields th small { display: block; font-weight: 400; color: var(--pwv-dim); }
@container (max-width: 620px) {
  .pwv .pwv-fields, .pwv .pwv-fields :is(caption, thead, tbody) { display: block; }
  .pwv .pwv-fields tr { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr) 6.6em 6.2em; border-bottom: 1px solid var(--pwv-border); }
  .pwv .pwv-fields tr > * { border: 0; max-width: none; }
  .pwv .pwv-fields tr > :nth-child(6) { grid-column: 2 / -1; }
}
.pwv .pwv-chips { display: flex; flex-wrap: wrap; gap: 3px; }
.pwv .pwv-chips button { min-width: 24px; min-height: 24px; padding: 0 6px; border-radius: 12px; }
.pwv .pwv-null { color: var(--pwv-dim); font-style: italic; }
.pwv.pwv-biography > .pwv-parts > :is(.pwv-part-fields, .pwv-part-facts) { margin-top: 8px; }
`;
