import type { Cell, ICodeCellModel } from '@jupyterlab/cells';
import type { CodeMirrorEditor } from '@jupyterlab/codemirror';
import {
  NotebookActions,
  type Notebook,
  type NotebookPanel
} from '@jupyterlab/notebook';
import { evaluated } from './kernel';
import {
  parseUnknownNames,
  sqlStart,
  unknownNamesExpression
} from './state/sqlCell';
import { underline, underlining } from './underline';

const SQL_MIME = 'text/x-sql';
const QUIET_MILLIS = 600;

/** Highlight the cells of a notebook that begin with `%%paimon` as SQL, and underline unknown names in them. */
export function watchSqlCells(panel: NotebookPanel): void {
  const cells = new WeakMap<Cell, SqlCell>();
  const watch = () => {
    for (const cell of panel.content.widgets) {
      if (cell.model.type === 'code' && !cells.has(cell)) {
        cells.set(cell, new SqlCell(panel, cell));
      }
    }
  };
  void panel.revealed.then(watch);
  panel.content.modelContentChanged.connect(watch);
  // A cell that has run may have created names or opened another catalog.
  const check = (_: unknown, { notebook }: { notebook: Notebook }) => {
    if (notebook === panel.content) {
      notebook.widgets.forEach(each => cells.get(each)?.check());
    }
  };
  NotebookActions.executed.connect(check);
  panel.disposed.connect(() => NotebookActions.executed.disconnect(check));
}

/** A code cell, which can turn into an SQL cell and back at any time. */
class SqlCell {
  constructor(
    private readonly _panel: NotebookPanel,
    private readonly _cell: Cell
  ) {
    this._model.contentChanged.connect(this._refresh, this);
    // The notebook sets the type of all cells when it learns the language of its kernel.
    this._model.mimeTypeChanged.connect(this._setMime, this);
    this._refresh();
  }

  /** Check the names after a short pause in typing. */
  check(): void {
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => void this._check(), QUIET_MILLIS);
  }

  private _refresh(): void {
    this._setMime();
    this.check();
  }

  private _setMime(): void {
    const isSql = sqlStart(this._source) !== null;
    if (isSql && this._model.mimeType !== SQL_MIME) {
      this._python = this._model.mimeType;
      this._model.mimeType = SQL_MIME;
    } else if (!isSql && this._python && this._model.mimeType === SQL_MIME) {
      this._model.mimeType = this._python;
    }
  }

  private async _check(): Promise<void> {
    if (this._cell.isDisposed) {
      return;
    }
    const source = this._source;
    const start = sqlStart(source);
    const editor = this._cell.editor as CodeMirrorEditor | null;
    if (!editor) {
      return;
    }
    if (start === null) {
      this._underline(editor, []);
      return;
    }
    const expression = unknownNamesExpression(source.slice(start));
    const text = await evaluated(this._panel.sessionContext, expression);
    if (this._cell.isDisposed || editor.isDisposed) {
      return;
    }
    if (text === null) {
      this._checkWhenIdle();
    } else if (source === this._source) {
      this._underline(editor, parseUnknownNames(text, source));
    }
  }

  private _checkWhenIdle(): void {
    if (this._panel.sessionContext.session?.kernel?.status === 'busy') {
      this.check();
    }
  }

  private _underline(
    editor: CodeMirrorEditor,
    unknown: ReturnType<typeof parseUnknownNames>
  ): void {
    if (this._underlined !== editor && unknown.length) {
      editor.injectExtension(underlining);
      this._underlined = editor;
    }
    if (this._underlined === editor) {
      underline(editor.editor, unknown);
    }
  }

  private get _model(): ICodeCellModel {
    return this._cell.model as ICodeCellModel;
  }

  private get _source(): string {
    return this._model.sharedModel.getSource();
  }

  private _timer = 0;
  private _python = '';
  private _underlined: CodeMirrorEditor | null = null;
}
