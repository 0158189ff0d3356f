import { LabIcon } from '@jupyterlab/ui-components';
import type { EntryKind, NodeKind } from './state/rows';

function icon(name: string, shapes: string): LabIcon {
  return new LabIcon({
    name: `paimon-workbench:${name}`,
    svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">${shapes}</svg>`
  });
}

/** The attributes of lines: the class colors elements that have a `fill`, so lines must not have one. */
const LINES =
  'class="jp-icon3" stroke="#616161" stroke-width="1.2" stroke-linejoin="round"';

/** The sorted runs of an LSM tree, with the newest and smallest on top. */
export const paimonIcon = icon(
  'paimon',
  `<g class="jp-icon3" fill="#616161">
    <rect x="6" y="1.5" width="4" height="2.6" rx="0.8"/>
    <rect x="3.5" y="5.1" width="3.9" height="2.6" rx="0.8"/>
    <rect x="8.6" y="5.1" width="3.9" height="2.6" rx="0.8"/>
    <rect x="1" y="8.7" width="14" height="2.6" rx="0.8"/>
    <rect x="1" y="12.3" width="14" height="2.6" rx="0.8"/>
  </g>`
);

/** A padlock, for what cannot be changed. */
export const lockIcon = icon(
  'lock',
  `<g class="jp-icon3" fill="#616161">
    <path d="M3.5 7h9v7h-9z"/>
    <path d="M5 7V5a3 3 0 0 1 6 0v2H9.6V5a1.6 1.6 0 0 0-3.2 0v2z"/>
  </g>`
);

export const kindIcons: Readonly<Record<NodeKind | EntryKind, LabIcon>> = {
  catalog: icon(
    'catalog',
    `<g fill="none"><g ${LINES}>
      <path d="M2 5.5 8 2l6 3.5M3 6v7.5h10V6"/>
      <path d="M5.5 13.5v-5h5v5M5.5 11h5"/>
    </g></g>`
  ),
  database: icon(
    'database',
    `<g fill="none"><g ${LINES}>
      <ellipse cx="8" cy="3.8" rx="5" ry="2"/>
      <path d="M3 3.8v8.4c0 1.1 2.2 2 5 2s5-.9 5-2V3.8M3 8c0 1.1 2.2 2 5 2s5-.9 5-2"/>
    </g></g>`
  ),
  table: icon(
    'table',
    `<g fill="none"><g ${LINES}>
      <rect x="2" y="3" width="12" height="10" rx="1"/>
      <path d="M2 6.3h12M2 9.6h12M6.5 6.3V13"/>
    </g></g>`
  ),
  view: icon(
    'view',
    `<g fill="none"><g ${LINES}>
      <path d="M1.5 8C4 4.3 6 3.5 8 3.5s4 .8 6.5 4.5C12 11.7 10 12.5 8 12.5S4 11.7 1.5 8z"/>
      <circle cx="8" cy="8" r="2"/>
    </g></g>`
  ),
  function: icon(
    'function',
    `<g fill="none"><g ${LINES}>
      <path d="M11.5 2.5c-2-.6-3 .3-3.3 2L6.8 11.5c-.3 1.7-1.3 2.6-3.3 2M4.5 7h6"/>
    </g></g>`
  ),
  other: icon(
    'other-table',
    `<g fill="none"><g ${LINES} stroke-dasharray="2 1.5">
      <rect x="2" y="3" width="12" height="10" rx="1"/>
      <path d="M2 6.3h12"/>
    </g></g>`
  )
};
