import { copyIcon, notebookIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { MAGIC } from '../copy';
import type { TabView } from '../viewDefinitions/definition';
import { ActionButton } from './ActionButton';
import type { PageProps } from './context';

interface ViewActionsProps extends PageProps {
  readonly view: TabView;
}

/** The buttons above a picture that insert its view into a notebook or copy it as Python. */
export function ViewActions(
  props: ViewActionsProps
): React.ReactElement | null {
  const { model, actions, trans, view } = props;
  const { python, cell, hasCode } = view.tab;
  const isReady = hasCode?.(model.store.state) ?? true;
  if (!isReady || (!python && !cell)) {
    return null;
  }
  return (
    <div className="pw-view-actions">
      {cell && (
        <ActionButton
          icon={notebookIcon}
          label={trans.__('Insert %1 cell', MAGIC)}
          onClick={() =>
            actions.insertCode(table => cell(table, model.store.state))
          }
        />
      )}
      {python && (
        <ActionButton
          icon={copyIcon}
          label={trans.__('Copy as Python')}
          onClick={() =>
            actions.copyView(table => python(table, model.store.state))
          }
        />
      )}
    </div>
  );
}
