import { Dialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import type { NewCatalog } from '../source';

/** Let the user enter a catalog; null if the dialog is cancelled. `known` fills the form. */
export async function askForCatalog(
  trans: TranslationBundle,
  known: Partial<NewCatalog> = {},
  explanation = ''
): Promise<NewCatalog | null> {
  const body = new CatalogForm(trans, known, explanation);
  const dialog = new Dialog<NewCatalog>({
    title: trans.__('Add catalog'),
    body,
    focusNodeSelector: known.warehouse ? 'button.jp-mod-accept' : 'input',
    buttons: [
      Dialog.cancelButton(),
      Dialog.okButton({ label: trans.__('Add') })
    ]
  });
  const { button, value } = await dialog.launch();
  return button.accept && value && value.warehouse !== '' ? value : null;
}

class CatalogForm extends Widget implements Dialog.IBodyWidget<NewCatalog> {
  constructor(
    trans: TranslationBundle,
    known: Partial<NewCatalog>,
    explanation: string
  ) {
    super();
    this.addClass('pw-form');
    if (explanation) {
      const text = document.createElement('p');
      text.textContent = explanation;
      this.node.append(text);
    }
    this._warehouse = this._field(trans.__('Directory or URL'), 'text');
    this._warehouse.placeholder = trans.__('/data/warehouse');
    this._warehouse.required = true;
    this._warehouse.value = known.warehouse ?? '';
    this._name = this._field(trans.__('Name'), 'text');
    this._name.value = known.name ?? '';
    this._warehouse.addEventListener('input', () => {
      this._name.placeholder = nameFor(this._warehouse.value);
    });
    this._name.placeholder = nameFor(this._warehouse.value);
    this._remember = this._field(
      trans.__('Save to my catalog file'),
      'checkbox'
    );
    this._remember.checked = known.remember ?? false;
  }

  getValue(): NewCatalog {
    const warehouse = this._warehouse.value.trim();
    const name = this._name.value.trim() || nameFor(warehouse);
    return { name, warehouse, remember: this._remember.checked };
  }

  private _field(label: string, type: string): HTMLInputElement {
    const input = document.createElement('input');
    input.type = type;
    input.spellcheck = false;
    const line = document.createElement('label');
    line.className = type === 'checkbox' ? 'pw-form-check' : 'pw-form-line';
    const text = document.createElement('span');
    text.textContent = label;
    line.append(...(type === 'checkbox' ? [input, text] : [text, input]));
    this.node.append(line);
    return input;
  }

  private readonly _warehouse: HTMLInputElement;
  private readonly _name: HTMLInputElement;
  private readonly _remember: HTMLInputElement;
}

/** Return a default name for a warehouse: the last part of its path. */
export function nameFor(warehouse: string): string {
  const parts = warehouse.split(/[\\/]+/).filter(part => part !== '');
  return (parts[parts.length - 1] ?? '').replace(/[^\w-]+/g, '-');
}
