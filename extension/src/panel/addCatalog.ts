import { Dialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CatalogValue } from '../contract';
import { errorValue, type NewCatalog } from '../source';
import { CatalogForm } from './catalogForm';

const ADD = 1;

/** The content of the dialog, and the function that adds the catalog. */
export interface CatalogQuestion {
  readonly trans: TranslationBundle;
  /** The initial values of the fields. */
  readonly known?: Partial<NewCatalog>;
  readonly explanation?: string;
  add(catalog: NewCatalog): Promise<CatalogValue>;
}

/** Let the user enter a catalog and add it; return null if the dialog is canceled. */
export async function askForCatalog(
  question: CatalogQuestion
): Promise<CatalogValue | null> {
  const dialog = new CatalogDialog(question);
  await dialog.launch();
  return dialog.added;
}

/** A dialog that stays open and keeps its input until the catalog is added. */
class CatalogDialog extends Dialog<NewCatalog> {
  /** The added catalog; null until then. */
  added: CatalogValue | null = null;

  constructor({ trans, known = {}, explanation, add }: CatalogQuestion) {
    const form = new CatalogForm(trans, known, explanation);
    super({
      title: trans.__('Add catalog'),
      body: form,
      focusNodeSelector: known.warehouse ? 'button.jp-mod-accept' : 'input',
      buttons: [
        Dialog.cancelButton(),
        Dialog.okButton({ label: trans.__('Add') })
      ]
    });
    this._form = form;
    this._add = add;
  }

  resolve(index: number = ADD): void {
    if (index === ADD) {
      void this._try();
    } else {
      super.resolve(index);
    }
  }

  private async _try(): Promise<void> {
    if (this._isAdding || !this._form.check()) {
      return;
    }
    this._setAdding(true);
    this._form.showError('');
    try {
      this.added = await this._add(this._form.getValue());
      super.resolve(ADD);
    } catch (error) {
      const { message, hint } = errorValue(error);
      this._form.showError([message, hint].filter(Boolean).join(' '));
    } finally {
      this._setAdding(false);
    }
  }

  /** Show that the warehouse is being opened: a remote one may not answer for a while. */
  private _setAdding(isAdding: boolean): void {
    this._isAdding = isAdding;
    this._form.showOpening(isAdding);
    // A disabled button would lose the focus.
    this.node
      .querySelector('button.jp-mod-accept')
      ?.setAttribute('aria-disabled', String(isAdding));
  }

  private readonly _form: CatalogForm;
  private readonly _add: CatalogQuestion['add'];
  private _isAdding = false;
}
