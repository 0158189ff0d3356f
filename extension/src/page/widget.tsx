import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { PageProps } from './context';
import { TablePage } from './TablePage';

/** The content of a table page. */
export class PageWidget extends ReactWidget {
  constructor(readonly props: PageProps) {
    super();
    this.addClass('pw-page-widget');
  }

  dispose(): void {
    this.props.model.dispose();
    super.dispose();
  }

  protected render(): React.ReactElement {
    return <TablePage {...this.props} />;
  }
}
