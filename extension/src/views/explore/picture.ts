import type { DatabaseNode, ExploreValue, OpenTable } from './view';
import { html, type Markup } from '../markup';
import { problem } from '../problem';
import { focusablesOf, ringOf } from '../stage';
import { summaryMarkup } from '../summary/picture';
import type { Texts } from '../texts';

/** The state of the tree: the expanded nodes and the tab stop. */
export interface TreeState {
  expanded: ReadonlySet<string>;
  stop: string | null;
}

export function catalogTree(
  { catalog, databases, open }: ExploreValue,
  { expanded, stop }: TreeState,
  texts: Texts
): Markup {
  if (databases.length === 0) {
    return html`<p class="pwv-empty">${texts.format('noDatabases')}</p>`;
  }
  const names = databases.flatMap(item => [
    `database:${item.name}`,
    ...(expanded.has(item.name) ? (item.tables ?? []) : []).map(
      table => `table:${item.name}.${table}`
    )
  ]);
  const at = stop !== null && names.includes(stop) ? stop : names[0];
  return html`<div
    role="tree"
    data-ring="catalog"
    aria-label="${texts.format('catalogTitle', { catalog })}"
  >
    ${databases.map(item =>
      databaseItem(item, expanded.has(item.name), at, open, texts)
    )}
  </div>`;
}

/** Return the facts above the pictures of a table, or its error. */
export function openTable(open: OpenTable, texts: Texts): Markup {
  return html`${open.error && problem(open.error)}${
    open.summary
      ? summaryMarkup(open.summary, texts)
      : !open.error && html`<p class="pwv-dim">${texts.format('loading')}</p>`
  }`;
}

/** Return the tree item that a key moves to, or null if the key does not move. */
export function treeMove(from: HTMLElement, key: string): HTMLElement | null {
  const ring = ringOf(from);
  const items = ring ? focusablesOf(ring) : [];
  const at = items.indexOf(from);
  switch (key) {
    case 'ArrowDown':
      return items[at + 1] ?? null;
    case 'ArrowUp':
      return items[at - 1] ?? null;
    case 'ArrowRight':
      return levelOf(items[at + 1]) > levelOf(from) ? items[at + 1] : null;
    case 'ArrowLeft':
      return (
        items
          .slice(0, at)
          .reverse()
          .find(item => levelOf(item) < levelOf(from)) ?? null
      );
    case 'Home':
      return items[0];
    case 'End':
      return items[items.length - 1];
    default:
      return key.length === 1 ? startingWith(items, at, key) : null;
  }
}

function levelOf(item: HTMLElement | undefined): number {
  return Number(item?.getAttribute('aria-level'));
}

/** Return the next item whose name starts with the letter, wrapping around at the end. */
function startingWith(
  items: HTMLElement[],
  at: number,
  letter: string
): HTMLElement | null {
  const after = [...items.slice(at + 1), ...items.slice(0, at)];
  const begins = (item: HTMLElement) =>
    item.textContent?.trim().toLowerCase().startsWith(letter.toLowerCase());
  return after.find(begins) ?? null;
}

function databaseItem(
  { name, tables }: DatabaseNode,
  expanded: boolean,
  stop: string,
  open: OpenTable | null,
  texts: Texts
): Markup {
  const focus = `database:${name}`;
  const item = html`<div
    role="treeitem"
    aria-level="1"
    aria-expanded="${expanded ? 'true' : 'false'}"
    data-focus="${focus}"
    data-database="${name}"
    tabindex="${focus === stop ? 0 : -1}"
  >
    ${name}
  </div>`;
  if (!expanded) {
    return item;
  }
  const note = tables === null ? 'loading' : 'noTables';
  return html`${item}${
    tables === null || tables.length === 0
      ? html`<p class="pwv-dim" role="presentation">${texts.format(note)}</p>`
      : tables.map(table => tableItem(name, table, stop, open))
  }`;
}

function tableItem(
  database: string,
  table: string,
  stop: string,
  open: OpenTable | null
): Markup {
  const name = `${database}.${table}`;
  const focus = `table:${name}`;
  return html`<div
    role="treeitem"
    aria-level="2"
    aria-selected="${name === open?.table ? 'true' : 'false'}"
    data-focus="${focus}"
    data-table="${name}"
    tabindex="${focus === stop ? 0 : -1}"
  >
    ${table}
  </div>`;
}
