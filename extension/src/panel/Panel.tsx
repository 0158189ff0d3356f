import type { TranslationBundle } from '@jupyterlab/translation';
import { addIcon, closeIcon, refreshIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { Busy } from '../Busy';
import { IconButton } from '../IconButton';
import { useStore } from '../react';
import type { TreeMove } from '../state/keys';
import { isEntry, isGroup, type Row } from '../state/rows';
import type { Unsearched } from '../state/schemaSearch';
import { countText } from '../state/texts';
import { EmptyPanel, FailedPanel } from './PanelStates';
import type { TreeModel } from './model';
import { Tree } from './Tree';

/** The number of names in the list of what could not be searched. */
const NAMED = 5;

export interface PanelProps {
  readonly model: TreeModel;
  readonly trans: TranslationBundle;
  /** Return whether a single or a double click opens a table. */
  openOn(): 'single' | 'double';
  openTable(path: readonly string[]): void;
  /** Show a view or a function. */
  openEntry(kind: 'view' | 'function', path: readonly string[]): void;
  addCatalog(): void;
}

export function Panel(props: PanelProps): React.ReactElement {
  const { model, trans } = props;
  const root = React.useRef<HTMLDivElement>(null);
  const state = useStore(model.store);
  const { catalogs, found } = state;
  const { rows } = model;
  const actions = panelActions(props, root);
  useFocusOfLateRows(root, rows.length > 0);
  const empty = catalogs.value?.length === 0;
  return (
    <div className="pw-panel" ref={root}>
      {state.notice && <Notice {...props} text={state.notice} />}
      <Toolbar {...props} focusTree={() => focusTree(root.current)} />
      <Busy busy={model.isReading} />
      <p
        className={found && !state.searching ? 'pw-no-match' : 'pw-hidden'}
        role="status"
      >
        {found && !state.searching && <Found {...props} />}
      </p>
      {found && state.searching && state.covered.total > 0 && (
        <Searching {...props} />
      )}
      {catalogs.status === 'failed' && catalogs.error && (
        <FailedPanel
          error={catalogs.error}
          trans={trans}
          retry={() => void model.reload()}
        />
      )}
      {empty && <EmptyPanel trans={trans} addCatalog={props.addCatalog} />}
      {rows.length > 0 && (
        <Tree
          rows={rows}
          active={state.active}
          search={state.search}
          damaged={state.damaged}
          busy={catalogs.status === 'loading' || state.searching}
          trans={trans}
          showKinds={new Set(catalogs.value?.map(({ kind }) => kind)).size > 1}
          catalogOf={row =>
            row.kind === 'catalog' ? model.catalog(row.path[0]) : null
          }
          onActive={row => model.activate(row.key)}
          onMove={actions.move}
          onClick={actions.click}
        />
      )}
    </div>
  );
}

function panelActions(
  { model, openOn, openTable, openEntry }: PanelProps,
  root: React.RefObject<HTMLElement>
) {
  /** Handle Enter or a click on a row. */
  const activate = (row: Row): void => {
    switch (row.kind) {
      case 'table':
        return openTable(row.path);
      case 'more':
        return void model.more(row.path);
      case 'failed':
        return void model.refresh(row.path);
      case 'catalog':
      case 'database':
        return void model.expand(row.path, !row.expanded);
      case 'views':
      case 'functions':
      case 'others':
        return model.expandGroup(row.key, !row.expanded);
      case 'view':
      case 'function':
        return openEntry(row.kind, row.path);
    }
  };
  const move = (made: TreeMove, row: Row): void => {
    switch (made.kind) {
      case 'focus':
        return model.activate(row.key);
      case 'expand':
        return isGroup(row)
          ? model.expandGroup(row.key, made.open)
          : void model.expand(row.path, made.open);
      case 'activate':
        return activate(row);
      case 'refresh':
        return void model.refresh(
          row.path.length > 2 ? row.path.slice(0, -1) : row.path
        );
      case 'menu':
        return openMenu(root.current);
      case 'search':
        return root.current?.querySelector<HTMLElement>('input')?.focus();
    }
  };
  const click = (row: Row, event: React.MouseEvent): void => {
    const double = event.type === 'dblclick';
    const opens = row.kind === 'table' || isEntry(row);
    if (opens ? (openOn() === 'double') === double : !double) {
      activate(row);
    }
  };
  return { move, click };
}

/** Open the context menu of the focused row, as a right-click does. */
function openMenu(root: HTMLElement | null): void {
  const row = root?.querySelector('[role="treeitem"][tabindex="0"]');
  const name = row?.querySelector('.pw-row-name') ?? row;
  if (row && name) {
    const { left, bottom } = name.getBoundingClientRect();
    const position = { clientX: left, clientY: bottom };
    const options = { bubbles: true, cancelable: true, ...position };
    row.dispatchEvent(new MouseEvent('contextmenu', options));
  }
}

/**
 * Move the focus to the tree. While the tree has no rows, the focus waits in the search field; it moves on when the
 * first rows arrive, unless the user has done something else by then.
 */
export function focusTree(root: HTMLElement | null): void {
  const row = root?.querySelector<HTMLElement>(
    '[role="treeitem"][tabindex="0"]'
  );
  if (row) {
    row.focus();
    return;
  }
  const search = root?.querySelector<HTMLInputElement>('input');
  if (search) {
    search.focus();
    waitingFields.add(search);
    const stop = (): void => {
      waitingFields.delete(search);
    };
    search.addEventListener('blur', stop, { once: true });
    search.addEventListener('input', stop, { once: true });
  }
}

/** Search fields that hold the focus until the tree has rows. */
const waitingFields = new WeakSet<HTMLInputElement>();

function useFocusOfLateRows(
  root: React.RefObject<HTMLDivElement>,
  hasRows: boolean
): void {
  React.useEffect(() => {
    const search = root.current?.querySelector<HTMLInputElement>('input');
    if (hasRows && search && waitingFields.has(search)) {
      focusTree(root.current);
    }
  }, [root, hasRows]);
}

/** Shows what a search has found, what it covers, and what it could not read. */
function Found({ model, trans }: PanelProps): React.ReactElement {
  const { read, total } = model.store.state.covered;
  const count = tableCount(model.rows);
  const { unsearched } = model;
  const named = unsearched.slice(0, NAMED).map(({ name }) => name);
  const more = unsearched.length - named.length;
  const names = [
    ...named,
    ...(more > 0 ? [trans.__('%1 more', countText(more))] : [])
  ];
  const facts = [
    model.foundNothing
      ? trans.__('No matches.')
      : trans._n(
          '%1 table found.',
          '%2 tables found.',
          count,
          countText(count)
        ),
    read === total
      ? trans._n(
          'The names, columns and comments of %1 table were searched.',
          'The names, columns and comments of %2 tables were searched.',
          total,
          countText(total)
        )
      : readText(model, trans)
  ];
  return (
    <>
      {facts.join(' ')}{' '}
      {unsearched.length > 0 && (
        <span title={unsearched.map(reasonText).join('\n')}>
          {trans.__('These could not be searched: %1.', names.join(', '))}
        </span>
      )}
    </>
  );
}

/** Return the number of tables in the tree, including those on further pages. */
function tableCount(rows: readonly Row[]): number {
  const tables = rows.filter(row => row.kind === 'table').length;
  const further = rows.filter(
    ({ kind, level }) => kind === 'more' && level > 2
  );
  return further.reduce((sum, row) => sum + row.left, tables);
}

/** Shows how far a search has come. */
function Searching({ model, trans }: PanelProps): React.ReactElement {
  const { read, total } = model.store.state.covered;
  return (
    <div
      className="pw-no-match"
      role="progressbar"
      aria-label={trans.__('Search of columns and comments')}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={read}
      aria-valuetext={readText(model, trans)}
    >
      {readText(model, trans)}
    </div>
  );
}

function readText(model: TreeModel, trans: TranslationBundle): string {
  const { read, total } = model.store.state.covered;
  return trans._n(
    'The columns and comments of %2 of %1 table were searched.',
    'The columns and comments of %2 of %3 tables were searched.',
    total,
    countText(read),
    countText(total)
  );
}

function reasonText({ name, reason }: Unsearched): string {
  return `${name}: ${reason}`;
}

function Toolbar({
  model,
  trans,
  addCatalog,
  focusTree
}: PanelProps & { focusTree(): void }): React.ReactElement {
  const { search } = useStore(model.store);
  return (
    <div className="pw-toolbar">
      <input
        className="pw-search"
        type="search"
        value={search}
        placeholder={trans.__('Search tables')}
        aria-label={trans.__('Search databases and tables')}
        onChange={event => model.search(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'ArrowDown' || event.key === 'Enter') {
            event.preventDefault();
            focusTree();
          } else if (event.key === 'Escape') {
            model.search('');
          }
        }}
      />
      <IconButton
        icon={refreshIcon}
        label={trans.__('Refresh all')}
        onClick={() => void model.reload()}
      />
      <IconButton
        icon={addIcon}
        label={trans.__('Add catalog…')}
        onClick={addCatalog}
      />
    </div>
  );
}

function Notice({ model, text, trans }: PanelProps & { text: string }) {
  return (
    <div className="pw-notice" role="status">
      <span>{text}</span>
      <IconButton
        icon={closeIcon}
        label={trans.__('Dismiss')}
        onClick={() => model.setNotice(null)}
      />
    </div>
  );
}
