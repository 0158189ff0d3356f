/** The styles of the health of tables: calm if there is nothing to do. */
export const HEALTH_STYLES = `
.pwv .pwv-condition { --pwv-severity: var(--pwv-fresh); display: flex; gap: 8px; align-items: baseline; margin: 0 0 10px; padding: 8px 12px; border-left: 4px solid var(--pwv-severity); background: var(--pwv-faint); }
.pwv [data-severity='notice'] { --pwv-severity: var(--pwv-last-line); }
.pwv [data-severity='attention'] { --pwv-severity: var(--pwv-fair); }
.pwv [data-severity='poor'] { --pwv-severity: var(--pwv-poor); }
.pwv .pwv-findings { list-style: none; margin: 0 0 10px; padding: 0; }
.pwv .pwv-findings > li { --pwv-severity: var(--pwv-fresh); margin: 0 0 6px; }
.pwv .pwv-findings > li[data-severity='notice'] { --pwv-severity: var(--pwv-last-line); }
.pwv .pwv-findings > li[data-severity='attention'] { --pwv-severity: var(--pwv-fair); }
.pwv .pwv-findings > li[data-severity='poor'] { --pwv-severity: var(--pwv-poor); }
.pwv .pwv-finding { border: 1px solid var(--pwv-border); border-left: 4px solid var(--pwv-severity); border-radius: 6px; }
.pwv .pwv-finding > summary { display: grid; grid-template-columns: auto minmax(0, 1fr) 180px; gap: 2px 10px; align-items: center; width: auto; padding: 8px 10px; list-style: none; }
.pwv .pwv-finding > summary::-webkit-details-marker { display: none; }
.pwv .pwv-finding-sign { width: 20px; height: 20px; border: 2px solid var(--pwv-severity); border-radius: 50%; font-weight: 700; line-height: 16px; text-align: center; grid-row: span 2; }
.pwv .pwv-finding-title { font-weight: 600; overflow-wrap: anywhere; }
.pwv .pwv-finding-number { grid-column: 2; color: var(--pwv-dim); font-size: 0.92em; overflow-wrap: anywhere; }
.pwv .pwv-bar { grid-column: 3; grid-row: 1 / span 2; width: 100%; height: 16px; }
.pwv .pwv-bar rect { fill: var(--pwv-border); }
.pwv .pwv-bar .pwv-bar-amount { fill: var(--pwv-severity); }
.pwv .pwv-bar line { stroke: var(--pwv-text); stroke-width: 2; }
.pwv .pwv-finding-body { padding: 0 10px 10px 42px; }
.pwv .pwv-finding-body > * { margin: 0 0 8px; }
.pwv .pwv-fix { padding: 8px 10px; border-radius: 6px; background: var(--pwv-faint); }
.pwv .pwv-fix code { display: block; margin: 0 0 6px; }
.pwv .pwv-fix-buttons { display: flex; flex-wrap: wrap; gap: 6px; }
.pwv .pwv-strip { display: flex; flex-wrap: wrap; gap: 2px; margin: 4px 0; }
.pwv .pwv-strip span { width: 14px; height: 14px; border: 1px solid var(--pwv-border); border-radius: 2px; }
.pwv .pwv-checks { list-style: none; margin: 6px 0 0; padding: 0; columns: 2 320px; column-gap: 24px; }
.pwv .pwv-checks li { break-inside: avoid; display: flex; gap: 8px; padding: 2px 0; }
.pwv .pwv-checks b { font-weight: 600; }
@container (max-width: 560px) {
  .pwv .pwv-finding > summary { grid-template-columns: auto minmax(0, 1fr); }
  .pwv .pwv-bar { grid-column: 2; grid-row: auto; }
  .pwv .pwv-finding-body { padding-left: 10px; }
}
.pwv .pwv-catalog-health td:nth-child(3), .pwv .pwv-catalog-health td:nth-child(4) { white-space: normal; overflow-wrap: anywhere; min-width: 180px; }
`;
