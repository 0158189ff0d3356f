import type { TranslationBundle } from '@jupyterlab/translation';
import type { Int64 } from '../contract';
import type { ByteUnits } from '../state/texts';
import type { DrawFigure } from '../views/stage';
import type { PageModel } from './model';

/** The properties of every part of a table page. */
export interface PageProps {
  readonly model: PageModel;
  readonly trans: TranslationBundle;
  readonly actions: PageActions;
  bytes(): ByteUnits;
  /** Draws plotly figures, if plotly is available. */
  readonly figure?: DrawFigure;
}

export interface PageActions {
  insertCell(): void;
  copyPython(): void;
  copyDefinition(): void;
  /** Copy the code of a view; `view` builds it from the expression of the table's version. */
  copyView(view: (table: string) => string): void;
  /** Insert a notebook cell; `code` returns its lines for the SQL name of the table. */
  insertCode(code: (table: string) => string): void;
  /** Insert a notebook cell with the code of a view; `view` as in `copyView`. */
  insertView(view: (table: string) => string): void;
  insertTagCell(): void;
  copy(text: string): void;
  /** Return the Python code that rolls the table back to a snapshot. */
  rollbackCode(snapshot: Int64): Promise<string>;
}
