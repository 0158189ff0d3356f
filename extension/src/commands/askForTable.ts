import { Dialog } from '@jupyterlab/apputils';
import { pathKey, type TableName } from '../state/names';
import { searchCatalog, type FoundByName } from '../state/search';
import { errorValue, wasCancelled } from '../source';
import { Widget } from '@lumino/widgets';
import type { CommandNeeds } from './command';

const WAIT_MILLIS = 250;
const MAX_FOUND = 50;

/** Let the user search for a table in all catalogs; return null if the dialog is canceled. */
export async function askForTable(
  needs: CommandNeeds
): Promise<TableName | null> {
  const { trans } = needs;
  const body = new TableSearch(needs);
  const dialog = new Dialog<TableName | null>({
    title: trans.__('Open table'),
    body,
    focusNodeSelector: 'input',
    buttons: [
      Dialog.cancelButton(),
      Dialog.okButton({ label: trans.__('Open') })
    ]
  });
  body.chosen = () => dialog.resolve();
  const { button, value } = await dialog.launch();
  return button.accept ? value : null;
}

/** A search field over a list box of matching tables. */
class TableSearch
  extends Widget
  implements Dialog.IBodyWidget<TableName | null>
{
  chosen: () => void = () => undefined;

  constructor(private readonly _needs: CommandNeeds) {
    super();
    const { trans } = _needs;
    this.addClass('pw-form');
    this._list.setAttribute('role', 'listbox');
    this._list.setAttribute('aria-label', trans.__('Matching tables'));
    this._list.className = 'pw-found';
    this._list.id = `pw-found-${Date.now()}`;
    this._status.setAttribute('role', 'status');
    const { _input: input } = this;
    input.type = 'text';
    input.placeholder = trans.__('Part of a table name');
    input.setAttribute('role', 'combobox');
    input.setAttribute('aria-label', trans.__('Table'));
    input.setAttribute('aria-expanded', 'true');
    input.setAttribute('aria-controls', this._list.id);
    input.addEventListener('input', () => this._searchSoon());
    input.addEventListener('keydown', event => this._onKey(event));
    this.node.append(input, this._status, this._list);
    this._searchSoon();
  }

  getValue(): TableName | null {
    return this._found[this._active] ?? null;
  }

  dispose(): void {
    window.clearTimeout(this._timer);
    this._search?.abort();
    super.dispose();
  }

  private _searchSoon(): void {
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => void this._find(), WAIT_MILLIS);
  }

  private async _find(): Promise<void> {
    this._search?.abort();
    const search = new AbortController();
    this._search = search;
    const { source, trans } = this._needs;
    const text = this._input.value.trim();
    const searched = { text, limit: MAX_FOUND, signal: search.signal };
    this._status.textContent = trans.__('Searching…');
    try {
      const catalogs = (await source.read('catalogs', {})).items;
      const found = await Promise.all(
        catalogs.map(async catalog => {
          const forest = await searchCatalog(source, catalog, searched);
          return tablesIn(forest, catalog.name);
        })
      );
      if (!search.signal.aborted) {
        this._show(found.flat().slice(0, MAX_FOUND));
      }
    } catch (error) {
      if (!wasCancelled(error)) {
        this._status.textContent = errorValue(error).message;
      }
    }
  }

  private _show(found: readonly TableName[]): void {
    const { trans } = this._needs;
    this._found = found;
    this._status.textContent = found.length
      ? trans._n('%1 table', '%1 tables', found.length)
      : trans.__('No table matches.');
    this._list.replaceChildren(
      ...found.map((name, at) => this._line(name, at))
    );
    this._activate(0);
  }

  private _line(name: TableName, at: number): HTMLElement {
    const line = document.createElement('div');
    line.setAttribute('role', 'option');
    line.className = 'pw-option';
    line.id = `${this._list.id}-${at}`;
    line.textContent = `${name.database}.${name.table} (${name.catalog})`;
    line.addEventListener('mousedown', event => event.preventDefault());
    line.addEventListener('click', () => {
      this._activate(at);
      this.chosen();
    });
    return line;
  }

  private _onKey(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      event.preventDefault();
      this._activate(this._active + steps[event.key]);
    }
  }

  private _activate(at: number): void {
    const last = this._found.length - 1;
    this._active = Math.min(Math.max(at, 0), Math.max(last, 0));
    Array.from(this._list.children).forEach((line, index) => {
      const active = index === this._active;
      line.setAttribute('aria-selected', String(active));
      line.toggleAttribute('data-active', active);
      if (active) {
        this._input.setAttribute('aria-activedescendant', line.id);
        line.scrollIntoView({ block: 'nearest' });
      }
    });
  }

  private readonly _input = document.createElement('input');
  private readonly _status = document.createElement('p');
  private readonly _list = document.createElement('div');
  private _found: readonly TableName[] = [];
  private _active = 0;
  private _timer = 0;
  private _search: AbortController | null = null;
}

function tablesIn(
  { forest: { branches } }: FoundByName,
  catalog: string
): TableName[] {
  const databases = branches.get(pathKey([catalog]))?.names ?? [];
  return databases.flatMap(database =>
    (branches.get(pathKey([catalog, database]))?.names ?? []).map(table => ({
      catalog,
      database,
      table
    }))
  );
}
