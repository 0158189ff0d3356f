import type { TranslationBundle } from '@jupyterlab/translation';
import {
  caretDownIcon,
  caretRightIcon,
  refreshIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';
import type { CatalogValue, FoundTable, SchemaMatch } from '../contract';
import { kindIcons, lockIcon } from '../icons';
import { countText } from '../state/texts';
import {
  isEntry,
  isGroup,
  isNode,
  nameOf,
  type GroupKind,
  type Row
} from '../state/rows';

interface TreeRowProps {
  readonly row: Row;
  readonly top: number;
  readonly height: number;
  readonly focusable: boolean;
  readonly selected: boolean;
  readonly search: string;
  readonly damaged: boolean;
  /** The catalog of a row that shows one. */
  readonly catalog: CatalogValue | null;
  /** Whether rows of catalogs show their kinds. */
  readonly showKinds: boolean;
  readonly trans: TranslationBundle;
  onActive(row: Row): void;
  onClick(row: Row, event: React.MouseEvent): void;
  onRefresh(row: Row): void;
}

const INDENT = 16;

export function TreeRow(props: TreeRowProps): React.ReactElement {
  const { row } = props;
  return (
    <div
      className={`pw-row pw-mod-${row.kind}${row.hit ? ' pw-mod-hit' : ''}`}
      role="treeitem"
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.size}
      aria-expanded={row.expanded ?? undefined}
      aria-selected={props.selected}
      aria-label={rowLabel(props)}
      data-kind={row.kind}
      data-key={row.key}
      data-name={isNode(row) || isEntry(row) ? nameOf(row) : undefined}
      data-origin={props.catalog?.origin}
      title={tooltip(props)}
      tabIndex={props.focusable ? 0 : -1}
      style={{
        top: props.top,
        height: props.height,
        paddingLeft: (row.level - 1) * INDENT + 4
      }}
      onFocus={() => props.onActive(row)}
      // The commands of the menu apply to the active row.
      onContextMenu={() => props.onActive(row)}
      onClick={event => props.onClick(row, event)}
      onDoubleClick={event => props.onClick(row, event)}
    >
      {isNode(row) || isEntry(row) || isGroup(row) ? (
        <Node {...props} />
      ) : (
        <State {...props} />
      )}
    </div>
  );
}

function Node(props: TreeRowProps) {
  const { row, search, damaged, catalog, trans, onRefresh } = props;
  const Caret = row.expanded ? caretDownIcon : caretRightIcon;
  const icon = isNode(row) || isEntry(row) ? kindIcons[row.kind] : null;
  return (
    <>
      <span className="pw-row-caret" aria-hidden="true">
        {row.expanded !== null && <Caret.react tag="span" />}
      </span>
      {icon && <icon.react tag="span" className="pw-row-icon" />}
      <span className="pw-row-texts">
        <span className="pw-row-name">
          {isGroup(row)
            ? groupText(props, row.kind)
            : marked(nameOf(row), search.trim())}
        </span>
        {row.hit && <Reasons {...props} hit={row.hit} />}
      </span>
      {catalog && props.showKinds && (
        // The label of the row says so, too.
        <span className="pw-row-kind" aria-hidden="true">
          {catalog.kind}
        </span>
      )}
      {catalog?.read_only && (
        // The label of the row says so, too.
        <span
          className="pw-row-lock"
          aria-hidden="true"
          title={trans.__('Read-only')}
        >
          <lockIcon.react tag="span" />
        </span>
      )}
      {damaged && (
        <span
          className="pw-row-damaged"
          aria-hidden="true"
          title={trans.__('A version of this table is damaged')}
        >
          ●
        </span>
      )}
      {row.expanded !== null && isNode(row) && (
        // Only for the mouse: keyboard users have F5 and the menu.
        <span
          className="pw-row-refresh"
          aria-hidden="true"
          title={trans.__('Refresh')}
          onClick={event => {
            event.stopPropagation();
            onRefresh(row);
          }}
        >
          <refreshIcon.react tag="span" />
        </span>
      )}
    </>
  );
}

/** Shows below its name why a search found a table. */
function Reasons({ hit, search, trans }: TreeRowProps & { hit: FoundTable }) {
  const more = moreText(hit, trans);
  return (
    <>
      {hit.matches.map(match => (
        <span className="pw-row-reason" key={`${match.place} ${match.column}`}>
          {placeText(match, trans)} {marked(match.text, search.trim())}
        </span>
      ))}
      {more && <span className="pw-row-reason">{more}</span>}
    </>
  );
}

/** Return the number of lines below the name of a table. */
export function reasonCount({ hit }: Row): number {
  const more = hit && hit.count > hit.matches.length;
  return (hit?.matches.length ?? 0) + (more ? 1 : 0);
}

function placeText(
  { place, column }: SchemaMatch,
  trans: TranslationBundle
): string {
  switch (place) {
    case 'column':
      return trans.__('column:');
    case 'table-comment':
      return trans.__('comment:');
    case 'column-comment':
      return trans.__('comment of %1:', column);
  }
}

function moreText(hit: FoundTable, trans: TranslationBundle): string {
  const more = hit.count - hit.matches.length;
  return more > 0
    ? trans._n('%1 more match', '%2 more matches', more, countText(more))
    : '';
}

/** Return the title of a list of entries, with their number. */
function groupText({ row, trans }: TreeRowProps, group: GroupKind): string {
  const count = countText(row.left);
  switch (group) {
    case 'views':
      return trans.__('Views (%1)', count);
    case 'functions':
      return trans.__('Functions (%1)', count);
    case 'others':
      return trans.__('Other tables (%1)', count);
  }
}

function tooltip(props: TreeRowProps): string {
  const { row, catalog, trans } = props;
  if (row.kind === 'other') {
    return `${nameOf(row)}\n${otherText(trans)}`;
  }
  if (catalog) {
    return [catalog.name, catalog.kind, catalog.address].join('\n');
  }
  return isNode(row) ? nodeTexts(props).join('\n') : errorText(row);
}

function otherText(trans: TranslationBundle): string {
  return trans.__(
    'Not a Paimon table: it is listed, and never read or changed.'
  );
}

/** Return the name of a node, and why a search found it. */
function nodeTexts({ row, trans }: TreeRowProps): string[] {
  const { hit } = row;
  const reasons = hit
    ? [
        ...hit.matches.map(each => `${placeText(each, trans)} ${each.text}`),
        moreText(hit, trans)
      ]
    : [];
  return [nameOf(row), ...reasons].filter(Boolean);
}

function State(props: TreeRowProps) {
  const { row, trans } = props;
  if (row.kind !== 'failed') {
    return <span className="pw-row-state">{rowLabel(props)}</span>;
  }
  return (
    <span className="pw-row-state">
      <span className="pw-row-error">{errorText(row)}</span>
      <span className="pw-link">{trans.__('Try again')}</span>
    </span>
  );
}

function rowLabel(props: TreeRowProps): string {
  const { row, damaged, catalog, trans } = props;
  switch (row.kind) {
    case 'views':
    case 'functions':
    case 'others':
      return groupText(props, row.kind);
    case 'view':
      return trans.__('%1, view', nameOf(row));
    case 'function':
      return trans.__('%1, function', nameOf(row));
    case 'other':
      return [nameOf(row), otherText(trans)].join(', ');
    case 'loading':
      return trans.__('Loading…');
    case 'empty':
      return row.path.length === 1
        ? trans.__('No databases')
        : trans.__('No tables');
    case 'more':
      return trans.__('Show more (%1 left)', countText(row.left));
    case 'rest':
      return trans.__('%1 more: search for their names', countText(row.left));
    case 'failed':
      return `${errorText(row)} ${trans.__('Try again')}`;
    default: {
      const kind = catalog && props.showKinds ? [catalog.kind] : [];
      const texts = [...nodeTexts(props), ...kind].join(', ');
      return catalog?.read_only
        ? trans.__('%1, read-only', texts)
        : damaged
          ? trans.__('%1, damaged', texts)
          : texts;
    }
  }
}

export function errorText({ error }: Row): string {
  return [error?.message, error?.hint].filter(Boolean).join(' ');
}

/** Return the name with the search text highlighted. */
function marked(name: string, search: string): React.ReactNode {
  const at = search ? name.toLowerCase().indexOf(search.toLowerCase()) : -1;
  if (at < 0) {
    return name;
  }
  const end = at + search.length;
  return (
    <>
      {name.slice(0, at)}
      <mark className="pw-mark">{name.slice(at, end)}</mark>
      {name.slice(end)}
    </>
  );
}
