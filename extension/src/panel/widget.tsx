import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';
import { paimonIcon } from '../icons';
import { focusTree, Panel, type PanelProps } from './Panel';

export const PANEL_ID = 'paimon-workbench-panel';

/** The panel in the left area. */
export class PanelWidget extends ReactWidget {
  constructor(private readonly _props: PanelProps) {
    super();
    const { trans } = _props;
    this.id = PANEL_ID;
    this.addClass('pw-panel-widget');
    this.title.icon = paimonIcon;
    this.title.caption = trans.__('Paimon');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('Paimon catalogs'));
  }

  /** Move the focus to the active row of the tree. */
  focusTree(): void {
    focusTree(this.node);
  }

  protected render(): React.ReactElement {
    return <Panel {...this._props} />;
  }
}
