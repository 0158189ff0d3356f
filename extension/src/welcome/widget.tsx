import { MainAreaWidget } from '@jupyterlab/apputils';
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';
import { paimonIcon } from '../icons';
import { Welcome, type WelcomeProps } from './Welcome';

export const WELCOME_ID = 'paimon-workbench-welcome';

/** Return the welcome page for the main area. */
export function welcomePage(props: WelcomeProps): MainAreaWidget {
  const content = ReactWidget.create(<Welcome {...props} />);
  content.addClass('pw-page-widget');
  const page = new MainAreaWidget({ content });
  page.id = WELCOME_ID;
  page.title.label = props.trans.__('Welcome');
  page.title.caption = props.trans.__('Welcome to Paimon Workbench');
  page.title.icon = paimonIcon;
  page.title.closable = true;
  page.toolbar.hide();
  return page;
}
