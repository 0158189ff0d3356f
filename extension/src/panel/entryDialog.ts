import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import type { EntryValue } from '../contract';
import { MAGIC } from '../copy';

/** Show a view or a function in a dialog; return whether the user wants a cell that reads it. */
export async function showEntry(
  trans: TranslationBundle,
  kind: 'view' | 'function',
  value: EntryValue,
  canInsert: boolean
): Promise<boolean> {
  const title =
    kind === 'view'
      ? trans.__('View %1', value.name)
      : trans.__('Function %1', value.name);
  const close = trans.__('Close');
  const insert = trans.__('Insert %1 cell', MAGIC);
  const { button } = await showDialog({
    title,
    body: new EntryBody(trans, kind, value),
    buttons: canInsert
      ? [
          Dialog.cancelButton({ label: close }),
          Dialog.okButton({ label: insert })
        ]
      : [Dialog.okButton({ label: close })]
  });
  return canInsert && button.accept;
}

class EntryBody extends Widget {
  constructor(
    trans: TranslationBundle,
    kind: 'view' | 'function',
    value: EntryValue
  ) {
    super();
    this.addClass('pw-entry');
    if (value.comment) {
      this._append('p', value.comment);
    }
    for (const { engine, text } of value.definitions) {
      const heading =
        kind === 'function'
          ? trans.__('Definition for %1', engine)
          : engine
            ? trans.__('Query for %1', engine)
            : trans.__('Query');
      this._append('h2', heading);
      const code = this._append('pre', text);
      // A long line is scrolled by the keyboard, too.
      code.tabIndex = 0;
      code.setAttribute('aria-label', heading);
    }
    this._append(
      'h2',
      kind === 'view' ? trans.__('Columns') : trans.__('Parameters')
    );
    const { fields, options } = value;
    this._table(
      [trans.__('Name'), trans.__('Type'), trans.__('Comment')],
      fields.map(({ name, type, comment }) => [name, type, comment])
    );
    if (value.returns) {
      this._append('p', trans.__('Returns %1', value.returns));
    }
    if (options.length > 0) {
      this._append('h2', trans.__('Options'));
      this._table(
        [trans.__('Option'), trans.__('Value')],
        options.map(({ key, value: text }) => [key, text])
      );
    }
  }

  private _append<T extends 'p' | 'pre' | 'h2'>(
    tag: T,
    text: string
  ): HTMLElementTagNameMap[T] {
    const made = document.createElement(tag);
    made.textContent = text;
    this.node.append(made);
    return made;
  }

  private _table(
    titles: readonly string[],
    rows: readonly (readonly string[])[]
  ): void {
    const table = document.createElement('table');
    const head = table.createTHead().insertRow();
    for (const title of titles) {
      const cell = document.createElement('th');
      cell.scope = 'col';
      cell.textContent = title;
      head.append(cell);
    }
    const body = table.createTBody();
    for (const texts of rows) {
      const row = body.insertRow();
      texts.forEach(text => (row.insertCell().textContent = text));
    }
    this.node.append(table);
  }
}
