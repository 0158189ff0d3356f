/** The styles of comparisons: bars of counts, and rows with the cells that changed. */
export const DIFF_STYLES = `
.pwv .pwv-diff-ends { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; margin: 0 0 6px; }
.pwv .pwv-diff-ends select { max-width: 260px; }
.pwv .pwv-diff-counts { display: flex; flex-wrap: wrap; gap: 8px 24px; margin: 6px 0; align-items: flex-start; }
.pwv .pwv-diff-group { flex: 1 1 260px; min-width: 0; max-width: 520px; }
.pwv .pwv-diff-group h4 { font-size: 0.92em; font-weight: 600; margin: 0 0 4px; }
.pwv .pwv-diff-list { max-height: 190px; overflow-y: auto; padding: 3px; }
.pwv .pwv-diff-bar { display: grid; grid-template-columns: minmax(60px, 150px) 1fr auto; gap: 8px; width: 100%; align-items: center; text-align: start; margin: 0 0 2px; border-color: transparent; background: none; }
.pwv .pwv-diff-bar[aria-pressed='true'] { border-color: var(--pwv-text); background: var(--pwv-faint); font-weight: 600; }
.pwv .pwv-diff-bar span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.pwv .pwv-diff-bar i { display: block; height: 12px; border-radius: 2px; min-width: 0; background: var(--pwv-middle-line); }
.pwv .pwv-diff-bar b { font-variant-numeric: tabular-nums; font-weight: 600; }
.pwv .pwv-diff-inserted i { background: var(--pwv-fresh); }
.pwv .pwv-diff-updated i { background: var(--pwv-fair); }
.pwv .pwv-diff-deleted i { background: var(--pwv-poor); }
.pwv .pwv-diff-filter { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin: 8px 0; }
.pwv .pwv-diff-filter input { flex: 1 1 220px; min-width: 0; max-width: 520px; font: inherit; color: var(--pwv-text); background: var(--pwv-ground); border: 1px solid var(--pwv-border); border-radius: 4px; padding: 3px 8px; min-height: 26px; }
.pwv .pwv-diff-rows { max-height: 460px; overflow: auto; border: 1px solid var(--pwv-border); border-radius: 6px; padding: 0 8px; }
.pwv .pwv-diff-rows table { min-width: 100%; }
.pwv .pwv-diff-rows td { max-width: 340px; overflow: hidden; text-overflow: ellipsis; }
.pwv .pwv-diff-rows .pwv-number { text-align: end; }
.pwv .pwv-diff-rows thead small { display: block; color: var(--pwv-dim); font-weight: 400; }
.pwv .pwv-diff-rows tr.pwv-diff-deleted td { color: var(--pwv-dim); }
.pwv .pwv-diff-rows .pwv-diff-kind { font-family: var(--jp-code-font-family, ui-monospace, monospace); font-weight: 700; white-space: nowrap; }
.pwv .pwv-diff-kind button { min-height: 20px; min-width: 22px; padding: 1px 3px; vertical-align: middle; border-color: transparent; background: none; }
.pwv .pwv-diff-kind button:hover, .pwv .pwv-diff-kind button:focus-visible { border-color: var(--pwv-border); }
.pwv .pwv-diff-kind svg { display: block; width: 14px; height: 14px; fill: none; stroke: var(--pwv-text); stroke-width: 1.4; }
.pwv .pwv-diff-rows tr.pwv-diff-inserted .pwv-diff-kind { color: var(--pwv-fresh); }
.pwv .pwv-diff-rows tr.pwv-diff-updated .pwv-diff-kind { color: var(--pwv-fair); }
.pwv .pwv-diff-rows tr.pwv-diff-deleted .pwv-diff-kind { color: var(--pwv-poor); }
.pwv .pwv-diff-rows del { color: var(--pwv-dim); text-decoration: line-through; }
.pwv .pwv-diff-rows ins { text-decoration: none; font-weight: 600; padding: 0 3px; border-radius: 3px; background: color-mix(in srgb, var(--pwv-fair) 22%, var(--pwv-ground)); }
.pwv .pwv-diff-rows em { color: var(--pwv-dim); font-style: italic; }
.pwv .pwv-diff-notes { margin: 0 0 6px; padding-inline-start: 18px; color: var(--pwv-dim); }
.pwv .pwv-diff-meta { margin-top: 12px; }
.pwv .pwv-diff-meta h4 { font-size: 0.95em; font-weight: 600; margin: 10px 0 4px; }
.pwv .pwv-diff-meta ul { margin: 0; padding-inline-start: 18px; }
`;
