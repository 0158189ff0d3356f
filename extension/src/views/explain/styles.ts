/** The styles of explained reads: the funnel, splits and suggestions. */
export const EXPLAIN_STYLES = `
.pwv-explain h4 { font-size: 1em; font-weight: 600; margin: 14px 0 4px; }
.pwv .pwv-step, .pwv .pwv-split { display: grid; grid-template-columns: clamp(96px, 20cqw, 190px) minmax(80px, 1fr) clamp(140px, 30cqw, 260px); gap: 0 10px; align-items: center; padding: 2px 6px; border-radius: 6px; min-height: 30px; }
.pwv .pwv-step { cursor: pointer; }
.pwv .pwv-step:hover { background: var(--pwv-faint); }
.pwv .pwv-step[aria-selected='true'] { background: var(--pwv-faint); box-shadow: inset 0 0 0 1.5px var(--pwv-text); }
.pwv .pwv-step:focus { outline: 2px solid var(--pwv-focus); outline-offset: 0; }
.pwv .pwv-step-name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.pwv .pwv-step-track { display: flex; height: 20px; min-width: 0; }
.pwv .pwv-step-track > span { min-width: 2px; height: 100%; border-radius: 3px; overflow: hidden; font-size: 0.8em; line-height: 18px; text-align: center; }
.pwv .pwv-step-left, .pwv .pwv-read-raw { background: var(--pwv-last); border: 1px solid var(--pwv-last-line); }
.pwv .pwv-step-gone { border: 1px dashed var(--pwv-border); background: repeating-linear-gradient(135deg, transparent 0 5px, var(--pwv-border) 5px 6px); }
.pwv .pwv-read-merged { background: var(--pwv-l0); border: 1px solid var(--pwv-l0-line); }
.pwv .pwv-step-numbers { font-variant-numeric: tabular-nums; text-align: end; line-height: 1.25; overflow-wrap: anywhere; }
.pwv .pwv-step-numbers small { color: var(--pwv-dim); display: inline-block; }
.pwv .pwv-split .pwv-step-numbers small { display: block; }
.pwv .pwv-split .pwv-step-name { white-space: normal; overflow-wrap: anywhere; line-height: 1.25; }
.pwv .pwv-splits { max-height: 340px; overflow-y: auto; }
.pwv .pwv-read-swatch { width: 14px; height: 12px; border-radius: 2px; display: inline-block; }
.pwv .pwv-facts-card { border: 1px solid var(--pwv-border); border-radius: 6px; background: var(--pwv-faint); padding: 6px 12px 8px; margin-top: 8px; }
.pwv .pwv-facts-card h4 { margin: 0 0 2px; }
.pwv .pwv-facts-card ul { margin: 0 0 6px; padding-inline-start: 18px; }
.pwv .pwv-facts-card li { overflow-wrap: anywhere; }
.pwv .pwv-facts-card .pwv-scroll { max-height: 300px; overflow-y: auto; }
.pwv .pwv-facts-card thead { background: color-mix(in srgb, var(--pwv-text) 5%, var(--pwv-ground)); }
.pwv .pwv-facts-card td:last-child { white-space: normal; min-width: 220px; overflow-wrap: anywhere; }
.pwv .pwv-column-track { border: 1px solid var(--pwv-border); border-radius: 3px; max-width: 560px; margin-bottom: 4px; }
.pwv .pwv-advice { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 380px), 1fr)); gap: 8px; }
.pwv .pwv-advice li { border: 1px solid var(--pwv-border); border-left: 4px solid var(--pwv-fresh); border-radius: 6px; padding: 6px 10px; min-width: 0; }
.pwv .pwv-advice p { margin: 2px 0 4px; color: var(--pwv-dim); }
.pwv .pwv-saves { color: var(--pwv-fresh); font-weight: 600; margin-inline-start: 8px; }
.pwv .pwv-advice pre { margin: 0; padding: 4px 8px; background: var(--pwv-faint); border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; color: var(--pwv-text); }
.pwv .pwv-choice { display: inline-flex; gap: 0; }
.pwv .pwv-choice button { border-radius: 0; }
.pwv .pwv-choice button[aria-pressed='true'] { background: var(--pwv-heat-2); color: var(--pwv-heat-text); border-color: var(--pwv-text); }
@container (max-width: 520px) {
  .pwv .pwv-step, .pwv .pwv-split { grid-template-columns: 92px minmax(60px, 1fr) 118px; gap: 0 6px; font-size: 0.92em; }
}
`;
