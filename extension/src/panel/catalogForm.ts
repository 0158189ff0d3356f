import type { Dialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import type {
  CatalogKindsValue,
  CatalogKindValue,
  CatalogOptionValue,
  ConnectionValue,
  ErrorValue
} from '../contract';
import type { NewCatalog } from '../source';
import { holdsSecret, nameFor, optionsOf } from '../state/newCatalog';
import { countText } from '../state/texts';
import { labeled, optionField, type OptionField } from './optionField';

const OPTIONS_EXAMPLE = 's3.endpoint = http://localhost:9000';
const METASTORE = 'metastore';
const WAREHOUSE = 'warehouse';
const SECOND = 1000;

/** The fields of a catalog, which its kind defines, with the result of the last attempt below them. */
export class CatalogForm
  extends Widget
  implements Dialog.IBodyWidget<NewCatalog>
{
  constructor(
    private readonly _trans: TranslationBundle,
    private readonly _kinds: CatalogKindsValue,
    known: Partial<NewCatalog>,
    explanation = ''
  ) {
    super();
    const trans = _trans;
    this.addClass('pw-form');
    if (explanation) {
      this._paragraph('pw-form-explanation').textContent = explanation;
    }
    const { [METASTORE]: metastore, ...options } = known.options ?? {};
    this._values = new Map(Object.entries(options));
    for (const { metastore: name, title } of _kinds.items) {
      this._kind.append(new Option(title, name, false, name === metastore));
    }
    this.node.append(labeled(trans.__('Kind of catalog'), this._kind));
    this._fieldset.className = 'pw-form-fields';
    this.node.append(this._fieldset);
    this._name = this._input(trans.__('Name'), 'text');
    this._name.value = known.name ?? '';
    this._others = this._othersField();
    this._remember = this._input(
      trans.__('Save to my catalog file'),
      'checkbox'
    );
    this._remember.checked = known.remember ?? false;
    this._note = this._paragraph('pw-form-note');
    this._note.id = 'pw-form-note';
    this._remember.setAttribute('aria-describedby', this._note.id);
    this._addTest();
    this._error = this._paragraph('pw-form-error');
    this._error.setAttribute('role', 'alert');
    this._showFields();
    this._kind.addEventListener('change', () => {
      this._keepValues();
      this._showFields();
      this._clearResult();
    });
    this.node.addEventListener('input', () => this._showHints());
  }

  /** The button that tests the connection, or stops the test. */
  readonly testButton = document.createElement('button');

  getValue(): NewCatalog {
    const name = this._name.value.trim() || this._defaultName();
    return { name, options: this._options(), remember: this._remember.checked };
  }

  /** What the catalog is, for messages. */
  get address(): string {
    const options = this._options();
    return options.uri ?? options[WAREHOUSE] ?? '';
  }

  /** Return whether the fields are complete; if not, show what is missing. */
  check(): boolean {
    const { invalidLine } = optionsOf(this._others.value);
    const options = this._options();
    const missing = this._fields.find(
      ({ option }) => option.required && !options[option.name]
    );
    if (missing) {
      this._fail(
        this._trans.__('Fill in: %1.', missing.option.meaning),
        missing.input
      );
    } else if (invalidLine !== null) {
      this._fail(
        this._trans.__(
          '“%1” is not a valid option. Use the form name = value.',
          invalidLine
        ),
        this._others
      );
    } else {
      return true;
    }
    return false;
  }

  showError({ message, hint }: Pick<ErrorValue, 'message' | 'hint'>): void {
    this._clearResult();
    // The lines are read and copied as one text.
    this._error.textContent = [message, hint].filter(Boolean).join('\n');
    this._error.scrollIntoView?.({ block: 'nearest' });
  }

  showConnection({ address, databases }: ConnectionValue): void {
    this._clearResult();
    this._status.textContent = this._trans._n(
      '✓ Connected to %2: %1 database.',
      '✓ Connected to %2: %3 databases.',
      databases,
      address,
      countText(databases)
    );
    this._status.scrollIntoView?.({ block: 'nearest' });
  }

  /** Show that a service is being waited for, which may take a while; null if it no longer is. */
  showWaiting(what: 'opening' | 'testing' | null): void {
    const trans = this._trans;
    window.clearInterval(this._timer);
    this._seconds.textContent = '';
    if (what === null) {
      this._status.textContent = '';
    } else {
      this._clearResult();
      this._status.textContent =
        what === 'opening'
          ? trans.__('Opening %1…', this.address)
          : trans.__('Connecting to %1…', this.address);
      const began = Date.now();
      this._timer = window.setInterval(() => {
        const seconds = Math.round((Date.now() - began) / SECOND);
        this._seconds.textContent = trans.__('%1 s', seconds);
      }, SECOND);
    }
    this._busy.dataset.busy = String(what !== null);
    this.testButton.textContent =
      what === 'testing' ? trans.__('Stop') : trans.__('Test connection');
    // A disabled button would lose the focus.
    this.testButton.setAttribute('aria-disabled', String(what === 'opening'));
  }

  dispose(): void {
    window.clearInterval(this._timer);
    super.dispose();
  }

  private get _selected(): CatalogKindValue {
    return this._kinds.items[Math.max(this._kind.selectedIndex, 0)];
  }

  /** Return the options of all fields; those of the text area are added. */
  private _options(): Record<string, string> {
    const fields = this._fields
      .filter(({ option }) => this._hasMeaning(option))
      .map(field => [field.option.name, field.getValue()])
      .filter(([, value]) => value !== '');
    const { options } = optionsOf(this._others.value);
    const [first] = this._kinds.items;
    const kind = this._selected;
    return {
      // The first kind is the default of Paimon.
      ...(kind !== first && { [METASTORE]: kind.metastore }),
      ...(Object.fromEntries(fields) as Record<string, string>),
      ...options
    };
  }

  /** Keep what was entered for the fields of another kind. */
  private _keepValues(): void {
    for (const field of this._fields) {
      this._values.set(field.option.name, field.getValue());
    }
  }

  private _showFields(): void {
    const { options } = this._selected;
    this._fields = options.map(option =>
      optionField(option, this._values.get(option.name) ?? '', this._trans)
    );
    this._fieldset.replaceChildren(...this._fields.map(({ node }) => node));
    this._fieldset.setAttribute('aria-label', this._selected.title);
    this._showHints();
  }

  /** Return whether an option has a meaning with the chosen value of another one. */
  private _hasMeaning({ only_with }: CatalogOptionValue): boolean {
    const other = this._fields.find(
      ({ option }) => option.name === only_with?.key
    );
    return only_with === null || other?.getValue() === only_with.value;
  }

  /** Show the fields that have a meaning, the name that the catalog gets without one, and where typed secrets are kept. */
  private _showHints(): void {
    for (const { node, option } of this._fields) {
      node.hidden = !this._hasMeaning(option);
    }
    this._name.placeholder = this._defaultName();
    const secrets = this._fields.filter(({ option }) => option.secret);
    const names = new Set(secrets.map(({ option }) => option.name));
    const { options } = this.getValue();
    this._note.classList.toggle('pw-mod-warning', this._remember.checked);
    this._note.textContent = !holdsSecret(options, names)
      ? ''
      : this._remember.checked
        ? this._trans.__(
            'Secrets are saved as readable text in %1. The name of an environment variable keeps them out of it.',
            this._kinds.file
          )
        : this._trans.__('Secrets are kept until the Jupyter server stops.');
  }

  private _defaultName(): string {
    const options = this._options();
    return nameFor(options[WAREHOUSE] ?? options.uri ?? '');
  }

  private _fail(message: string, field: HTMLElement): void {
    this.showError({ message, hint: null });
    field.closest('details')?.setAttribute('open', '');
    field.focus();
  }

  private _clearResult(): void {
    this._error.textContent = '';
    this._status.textContent = '';
  }

  /** The field for further options, such as the credentials of an object store; most local warehouses need none. */
  private _othersField(): HTMLTextAreaElement {
    const details = document.createElement('details');
    const summary = document.createElement('summary');
    summary.textContent = this._trans.__('Other options and credentials');
    const input = document.createElement('textarea');
    input.rows = 3;
    input.spellcheck = false;
    input.placeholder = OPTIONS_EXAMPLE;
    details.append(
      summary,
      labeled(this._trans.__('Options, one per line: name = value'), input)
    );
    this.node.append(details);
    const named = new Set(this._selected.options.map(({ name }) => name));
    const rest = [...this._values].filter(([name]) => !named.has(name));
    input.value = rest.map(([name, value]) => `${name} = ${value}`).join('\n');
    details.open = rest.length > 0;
    return input;
  }

  private _addTest(): void {
    const line = document.createElement('div');
    line.className = 'pw-form-test';
    this.testButton.type = 'button';
    this.testButton.className = 'jp-Button pw-button';
    this.testButton.textContent = this._trans.__('Test connection');
    this._status.className = 'pw-form-status';
    this._status.setAttribute('role', 'status');
    this._seconds.className = 'pw-form-seconds';
    this._seconds.setAttribute('aria-hidden', 'true');
    this._busy.className = 'pw-busy';
    line.append(this.testButton, this._status, this._seconds);
    this.node.append(line, this._busy);
  }

  private _paragraph(className: string): HTMLParagraphElement {
    const made = document.createElement('p');
    made.className = className;
    this.node.append(made);
    return made;
  }

  private _input(label: string, type: 'text' | 'checkbox'): HTMLInputElement {
    const input = document.createElement('input');
    input.type = type;
    input.spellcheck = false;
    this.node.append(labeled(label, input));
    return input;
  }

  private readonly _kind = document.createElement('select');
  private readonly _fieldset = document.createElement('div');
  private readonly _status = document.createElement('span');
  private readonly _seconds = document.createElement('span');
  private readonly _busy = document.createElement('div');
  private readonly _name: HTMLInputElement;
  private readonly _others: HTMLTextAreaElement;
  private readonly _remember: HTMLInputElement;
  private readonly _note: HTMLElement;
  private readonly _error: HTMLElement;
  private readonly _values: Map<string, string>;
  private _fields: readonly OptionField[] = [];
  private _timer = 0;
}
