/** The styles of the summary of a table: its content and its condition. */
export const SUMMARY_STYLES = `
.pwv .pwv-figures { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0; }
.pwv .pwv-figures > div { display: flex; flex-direction: column; min-width: 64px; padding: 6px 12px; border: 1px solid var(--pwv-border); border-radius: 6px; background: var(--pwv-faint); }
.pwv .pwv-figures dd { font-size: 1.15em; }
.pwv .pwv-figures .pwv-rows { font-weight: 600; }
.pwv .pwv-figures .pwv-rows + dd { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; font-size: 1em; }
.pwv .pwv-figures small { color: var(--pwv-dim); }
.pwv .pwv-verdict { --pwv-condition: var(--pwv-fresh); display: flex; gap: 8px; align-items: baseline; margin: 0 0 8px; padding: 6px 12px; border-left: 4px solid var(--pwv-condition); background: var(--pwv-faint); }
.pwv .pwv-verdict[data-condition='fair'] { --pwv-condition: var(--pwv-fair); }
.pwv .pwv-verdict[data-condition='poor'] { --pwv-condition: var(--pwv-poor); }
.pwv .pwv-sign { flex: none; width: 18px; border: 2px solid var(--pwv-condition); border-radius: 50%; font-weight: 700; line-height: 14px; text-align: center; }
`;
