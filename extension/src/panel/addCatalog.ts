import { Dialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CatalogKindsValue, CatalogValue } from '../contract';
import { errorValue, wasCancelled, type NewCatalog } from '../source';
import { CatalogForm } from './catalogForm';
import type { TreeModel } from './model';

const ADD = 1;

/** The content of the dialog, and the tree to which the catalog is added. */
export interface CatalogQuestion {
  readonly trans: TranslationBundle;
  readonly tree: Pick<TreeModel, 'addCatalog' | 'testConnection'>;
  /** The kinds of catalogs that can be chosen. */
  readonly kinds: CatalogKindsValue;
  /** The initial values of the fields. */
  readonly known?: Partial<NewCatalog>;
  readonly explanation?: string;
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

  constructor(question: CatalogQuestion) {
    const { trans, kinds, known = {}, explanation } = question;
    const form = new CatalogForm(trans, kinds, known, explanation);
    super({
      title: trans.__('Add catalog'),
      body: form,
      focusNodeSelector: known.options?.warehouse
        ? 'button.jp-mod-accept'
        : 'input',
      buttons: [
        Dialog.cancelButton(),
        Dialog.okButton({ label: trans.__('Add') })
      ]
    });
    this._form = form;
    this._tree = question.tree;
    form.testButton.addEventListener('click', () => this._toggleTest());
  }

  resolve(index: number = ADD): void {
    if (index === ADD) {
      void this._add();
    } else {
      super.resolve(index);
    }
  }

  dispose(): void {
    // The worker stops waiting for a service when its client leaves.
    this._waiting?.abort();
    super.dispose();
  }

  /** Let Enter press the button of the form, open a list or a disclosure; elsewhere it adds the catalog. */
  protected _evtKeydown(event: KeyboardEvent): void {
    const target = document.activeElement;
    const acts =
      target === this._form.testButton ||
      target instanceof HTMLSelectElement ||
      target?.tagName === 'SUMMARY';
    if (event.key !== 'Enter' || !acts) {
      super._evtKeydown(event);
    }
  }

  private async _add(): Promise<void> {
    await this._try('opening', async (catalog, signal) => {
      this.added = await this._tree.addCatalog(catalog, signal);
      return () => super.resolve(ADD);
    });
  }

  private _toggleTest(): void {
    if (this._waiting && !this._isAdding) {
      this._waiting.abort();
    } else {
      void this._try('testing', async ({ options }, signal) => {
        const found = await this._tree.testConnection(options, signal);
        return () => this._form.showConnection(found);
      });
    }
  }

  /** Run an attempt unless another one is running or the fields are incomplete, and show its error in the form. */
  private async _try(
    what: 'opening' | 'testing',
    attempt: (catalog: NewCatalog, signal: AbortSignal) => Promise<() => void>
  ): Promise<void> {
    if (this._isAdding || !this._form.check()) {
      return;
    }
    // Adding a catalog ends a test of it.
    this._waiting?.abort();
    const waiting = new AbortController();
    this._waiting = waiting;
    this._setWaiting(what);
    try {
      const show = await attempt(this._form.getValue(), waiting.signal);
      if (this._end(waiting)) {
        show();
      }
    } catch (error) {
      if (this._end(waiting) && !wasCancelled(error)) {
        this._form.showError(errorValue(error));
      }
    }
  }

  /** Show that an attempt has ended; return false if another one has begun. */
  private _end(attempt: AbortController): boolean {
    const isLast = this._waiting === attempt;
    if (isLast) {
      this._waiting = null;
      this._setWaiting(null);
    }
    return isLast;
  }

  private _setWaiting(what: 'opening' | 'testing' | null): void {
    this._isAdding = what === 'opening';
    this._form.showWaiting(what);
    // A disabled button would lose the focus.
    this.node
      .querySelector('button.jp-mod-accept')
      ?.setAttribute('aria-disabled', String(this._isAdding));
  }

  private readonly _form: CatalogForm;
  private readonly _tree: CatalogQuestion['tree'];
  private _waiting: AbortController | null = null;
  private _isAdding = false;
}
