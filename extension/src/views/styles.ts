import { BIOGRAPHY_STYLES } from './biography/styles';
import { DIFF_STYLES } from './diff/styles';
import { COMPACTION_STYLES } from './compaction/styles';
import { EXPLAIN_STYLES } from './explain/styles';
import { HEALTH_STYLES } from './health/styles';
import { PALETTE } from './palette';
import { LEVELS_STYLES } from './levels/styles';
import { SUMMARY_STYLES } from './summary/styles';
import { TIMELINE_STYLES } from './history/styles';

/** The styles that all views share: theme colors, text, tools, tables, focus. */
const BASE_STYLES = `
.pwv {
  color-scheme: light dark;
  --pwv-text: var(--jp-content-font-color1, light-dark(#1f2328, #e8eaed));
  --pwv-ground: var(--jp-layout-color1, light-dark(#ffffff, #16181c));
  --pwv-dim: color-mix(in srgb, var(--pwv-text) 74%, var(--pwv-ground));
  --pwv-border: color-mix(in srgb, var(--pwv-text) 22%, var(--pwv-ground));
  --pwv-faint: color-mix(in srgb, var(--pwv-text) 5%, var(--pwv-ground));
${PALETTE.map(([name, light, dark]) => `  --pwv-${name}: light-dark(${light}, ${dark});`).join('\n')}
  background: var(--pwv-ground);
  color: var(--pwv-text);
  font: var(--jp-ui-font-size1, 13px)/1.45 var(--jp-ui-font-family, system-ui, sans-serif);
  position: relative;
  width: 100%;
  min-width: 0;
  container-type: inline-size;
}
/* The background of a notebook differs from that of other pages. */
.jp-Notebook .pwv { --pwv-ground: var(--jp-layout-color0); }
[data-jp-theme-light='true'] .pwv, .vscode-light .pwv { color-scheme: light; }
[data-jp-theme-light='false'] .pwv, .vscode-dark .pwv { color-scheme: dark; }
.pwv, .pwv * { box-sizing: border-box; }
.pwv .pwv { margin-top: 20px; }
.pwv.pwv-opened { margin-top: 12px; padding: 8px 12px 4px; border: 1px solid var(--pwv-border); border-inline-start: 3px solid var(--pwv-focus); border-radius: 6px; }
.pwv-opened .pwv { margin-top: 0; }
.pwv .pwv-close { float: inline-end; position: relative; z-index: 1; }
.pwv h3 { font-size: 1.1em; font-weight: 600; margin: 0 0 6px; overflow-wrap: anywhere; }
.pwv h3 small { color: var(--pwv-dim); font-size: 0.9em; font-weight: 400; }
.pwv p { margin: 0 0 6px; overflow-wrap: anywhere; }
.pwv small { font-size: 0.85em; }
.pwv code { font-family: var(--jp-code-font-family, ui-monospace, monospace); font-size: 0.92em; overflow-wrap: anywhere; white-space: pre-wrap; }
.pwv .pwv-notice { margin: 0 0 8px; padding: 4px 10px; border-radius: 6px; background: color-mix(in srgb, var(--pwv-text) 8%, var(--pwv-ground)); color: var(--pwv-text); }
.pwv .pwv-dim { color: var(--pwv-dim); }
.pwv .pwv-empty { color: var(--pwv-dim); padding: 16px; text-align: center; border: 1px dashed var(--pwv-border); border-radius: 6px; }
.pwv .pwv-hidden { position: absolute; top: 0; left: 0; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.pwv .pwv-tools { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; margin: 0 0 6px; }
.pwv .pwv-tools p { margin: 0; flex: 1 1 240px; }
.pwv button, .pwv select { font: inherit; color: var(--pwv-text); background: var(--pwv-faint); border: 1px solid var(--pwv-border); border-radius: 4px; padding: 2px 8px; min-height: 26px; min-width: 28px; }
.pwv button { cursor: pointer; }
.pwv button:hover { border-color: var(--pwv-text); }
.pwv button[aria-disabled='true'] { color: var(--pwv-dim); cursor: default; border-color: transparent; }
.pwv .pwv-scroll { overflow-x: auto; position: relative; max-width: 100%; }
.pwv .pwv-legend { display: flex; flex-wrap: wrap; gap: 2px 14px; align-items: center; color: var(--pwv-dim); font-size: 0.88em; margin: 4px 0 6px; }
.pwv .pwv-legend span { display: inline-flex; gap: 4px; align-items: center; }
.pwv .pwv-part-table { margin-top: 8px; }
.pwv summary { cursor: pointer; width: fit-content; }
.pwv .pwv-part-table .pwv-scroll { max-height: 480px; margin-bottom: 8px; width: fit-content; }
.pwv thead { position: sticky; top: 0; background: var(--pwv-ground); }
.pwv table { border-collapse: collapse; font-size: 0.92em; margin: 4px 0 10px; }
.pwv caption { text-align: start; font-weight: 600; padding: 4px 0; }
.pwv th, .pwv td { border-bottom: 1px solid var(--pwv-border); padding: 2px 10px 2px 0; text-align: start; vertical-align: top; white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--pwv-text); background: none; }
.pwv .pwv-facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(172px, 1fr)); grid-auto-flow: dense; gap: 4px 16px; margin: 0; padding: 8px 10px; border: 1px solid var(--pwv-border); border-radius: 6px; background: var(--pwv-faint); }
.pwv .pwv-facts div { min-width: 0; }
.pwv .pwv-facts .pwv-wide { grid-column: 1 / -1; display: flex; gap: 8px; align-items: baseline; }
.pwv .pwv-wide dt { flex: 0 0 auto; min-width: 72px; }
.pwv dt { color: var(--pwv-dim); font-size: 0.85em; font-weight: 400; margin: 0; padding: 0; }
.pwv dd { margin: 0; padding: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.pwv :focus-visible { outline: 2px solid var(--pwv-focus); outline-offset: 1px; }
.pwv .pwv-shade0 { background: transparent; }
.pwv .pwv-shade1 { background: var(--pwv-heat-1); color: var(--pwv-heat-text); }
.pwv .pwv-shade2 { background: var(--pwv-heat-2); color: var(--pwv-heat-text); }
.pwv .pwv-shade3 { background: var(--pwv-heat-3); color: var(--pwv-heat-text); }
.pwv .pwv-shade4 { background: var(--pwv-heat-4); color: var(--pwv-heat-text-strong); }
.pwv .pwv-shade5 { background: var(--pwv-heat-5); color: var(--pwv-heat-text-strong); }
.pwv .pwv-fair {
  --pwv-heat-1: color-mix(in srgb, var(--pwv-fair) 14%, var(--pwv-ground)); --pwv-heat-2: color-mix(in srgb, var(--pwv-fair) 23%, var(--pwv-ground)); --pwv-heat-3: color-mix(in srgb, var(--pwv-fair) 32%, var(--pwv-ground)); --pwv-heat-4: color-mix(in srgb, var(--pwv-fair) 41%, var(--pwv-ground)); --pwv-heat-5: color-mix(in srgb, var(--pwv-fair) 50%, var(--pwv-ground));
  --pwv-heat-text-strong: var(--pwv-heat-text);
}
.pwv .pwv-poor {
  --pwv-heat-1: color-mix(in srgb, var(--pwv-poor) 14%, var(--pwv-ground)); --pwv-heat-2: color-mix(in srgb, var(--pwv-poor) 23%, var(--pwv-ground)); --pwv-heat-3: color-mix(in srgb, var(--pwv-poor) 32%, var(--pwv-ground)); --pwv-heat-4: color-mix(in srgb, var(--pwv-poor) 41%, var(--pwv-ground)); --pwv-heat-5: color-mix(in srgb, var(--pwv-poor) 50%, var(--pwv-ground));
  --pwv-heat-text-strong: var(--pwv-heat-text);
}
@keyframes pwv-appear {
  from { box-shadow: 0 0 0 6px color-mix(in srgb, var(--pwv-fresh) 70%, transparent); }
  to { box-shadow: 0 0 0 0 transparent; }
}
@media (prefers-reduced-motion: no-preference) {
  .pwv[data-news] .pwv-new { animation: pwv-appear 1.6s ease-out; }
}
`;

/**
 * Pages style these elements, as JupyterLab does in outputs: it floats lists of facts and stripes the rows of tables.
 * This resets them to the browser's defaults.
 */
const RESET = `
.pwv :where(h3, h4, p, b, em, small, code, ul, li, dl, dt, dd, table, caption, thead, tbody, tr, th, td, details, summary, label, button, select) { all: revert; }
/* The rule above also reverts the style that hides elements. */
.pwv [hidden] { display: none; }
`;

/**
 * The styles of all views; JupyterLab's theme provides the colors if there is one. An id in the selectors gives them
 * precedence over the class selectors of a page.
 */
export const STYLES = (
  RESET +
  BASE_STYLES +
  LEVELS_STYLES +
  SUMMARY_STYLES +
  TIMELINE_STYLES +
  BIOGRAPHY_STYLES +
  COMPACTION_STYLES +
  DIFF_STYLES +
  EXPLAIN_STYLES +
  HEALTH_STYLES
).replace(/\.pwv(?![\w-])/g, ':is(.pwv, #pwv)');
