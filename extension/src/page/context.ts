import type { TranslationBundle } from '@jupyterlab/translation';
import type { ByteUnits } from '../state/texts';
import type { PageModel } from './model';

/** The properties of every part of a table page. */
export interface PageProps {
  readonly model: PageModel;
  readonly trans: TranslationBundle;
  readonly actions: PageActions;
  bytes(): ByteUnits;
}

export interface PageActions {
  insertCell(): void;
  copyPython(): void;
}
