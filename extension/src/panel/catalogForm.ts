import type { Dialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import type { NewCatalog } from '../source';
import { nameFor, optionsOf } from '../state/newCatalog';

const OPTIONS_EXAMPLE = 's3.endpoint = http://localhost:9000';

/** The fields of a catalog, with the error of the last attempt below them. */
export class CatalogForm
  extends Widget
  implements Dialog.IBodyWidget<NewCatalog>
{
  constructor(
    private readonly _trans: TranslationBundle,
    known: Partial<NewCatalog>,
    explanation = ''
  ) {
    super();
    const trans = _trans;
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
    this._options = this._optionsField();
    this._remember = this._field(
      trans.__('Save to my catalog file'),
      'checkbox'
    );
    this._remember.checked = known.remember ?? false;
    this._opening = document.createElement('p');
    this._opening.className = 'pw-waiting';
    this._opening.setAttribute('role', 'status');
    this._error = document.createElement('p');
    this._error.className = 'pw-form-error';
    this._error.setAttribute('role', 'alert');
    this.node.append(this._opening, this._error);
  }

  getValue(): NewCatalog {
    const warehouse = this._warehouse.value.trim();
    const name = this._name.value.trim() || nameFor(warehouse);
    const { options } = optionsOf(this._options.value);
    return { name, warehouse, options, remember: this._remember.checked };
  }

  /** Return whether the fields are complete; if not, show what is missing. */
  check(): boolean {
    const { invalidLine } = optionsOf(this._options.value);
    if (this._warehouse.value.trim() === '') {
      this.showError(this._trans.__('Enter a directory or URL.'));
      this._warehouse.focus();
    } else if (invalidLine !== null) {
      this.showError(
        this._trans.__(
          '“%1” is not a valid option. Use the form name = value.',
          invalidLine
        )
      );
      this._options.focus();
    } else {
      return true;
    }
    return false;
  }

  showError(text: string): void {
    this._error.textContent = text;
  }

  showOpening(isOpening: boolean): void {
    this._opening.textContent = isOpening
      ? this._trans.__('Opening %1…', this._warehouse.value.trim())
      : '';
  }

  /** The field for catalog options, such as the credentials of an object store; most local warehouses need none. */
  private _optionsField(): HTMLTextAreaElement {
    const details = document.createElement('details');
    const summary = document.createElement('summary');
    summary.textContent = this._trans.__('Options and credentials');
    const input = document.createElement('textarea');
    input.rows = 3;
    input.spellcheck = false;
    input.placeholder = OPTIONS_EXAMPLE;
    details.append(
      summary,
      labeled(this._trans.__('Options, one per line: name = value'), input)
    );
    this.node.append(details);
    return input;
  }

  private _field(label: string, type: 'text' | 'checkbox'): HTMLInputElement {
    const input = document.createElement('input');
    input.type = type;
    input.spellcheck = false;
    this.node.append(labeled(label, input, type === 'checkbox'));
    return input;
  }

  private readonly _warehouse: HTMLInputElement;
  private readonly _name: HTMLInputElement;
  private readonly _options: HTMLTextAreaElement;
  private readonly _remember: HTMLInputElement;
  private readonly _opening: HTMLElement;
  private readonly _error: HTMLElement;
}

function labeled(
  label: string,
  input: HTMLElement,
  isCheck = false
): HTMLElement {
  const line = document.createElement('label');
  line.className = isCheck ? 'pw-form-check' : 'pw-form-line';
  const text = document.createElement('span');
  text.textContent = label;
  line.append(...(isCheck ? [input, text] : [text, input]));
  return line;
}
