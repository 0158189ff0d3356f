import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import type { ErrorValue } from '../contract';

const CATALOG_FILE = '~/.jupyter/paimon_catalogs.toml';
const DEMO_COMMAND = 'paimon-workbench demo';
const CATALOG_LINES = '[demo]\nwarehouse = "/data/warehouse"';

interface EmptyProps {
  readonly trans: TranslationBundle;
  addCatalog(): void;
}

/** Shows what to do if there are no catalogs. */
export function EmptyPanel({ trans, addCatalog }: EmptyProps) {
  return (
    <div className="pw-empty">
      <p>{trans.__('No catalogs yet.')}</p>
      <button
        type="button"
        className="jp-Button pw-button"
        onClick={addCatalog}
      >
        {trans.__('Add catalog…')}
      </button>
      <p>{trans.__('Or define one in this file:')}</p>
      <p>
        <code>{CATALOG_FILE}</code>
      </p>
      <pre>{CATALOG_LINES}</pre>
      <p>{trans.__('To try it with real data, run this in a terminal:')}</p>
      <p>
        <code>{DEMO_COMMAND}</code>
      </p>
    </div>
  );
}

interface FailedProps {
  readonly error: ErrorValue;
  readonly trans: TranslationBundle;
  retry(): void;
}

export function FailedPanel({ error, trans, retry }: FailedProps) {
  return (
    <div className="pw-empty" role="alert">
      <p>{error.message}</p>
      {error.hint && <p>{error.hint}</p>}
      <button type="button" className="jp-Button pw-button" onClick={retry}>
        {trans.__('Try again')}
      </button>
    </div>
  );
}
