/* eslint-disable jupyter/prefer-lazy-imports -- the palette and the launcher list the commands from the start */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { catalogCommands } from '../commands/catalogs';
import { addCommands } from '../commands/command';
import { tableCommands } from '../commands/tables';
import { viewCommands } from '../commands/views';
import { welcomeCommands } from '../commands/welcome';
import { IEnvironmentCheck } from '../environment';
import { ITablePages } from '../page/pages';
import { ILakeSource } from '../source';
import { ICatalogTree } from './panel';

export const commandsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'paimon-workbench:commands',
  description: 'The commands of the Paimon panel and its table pages.',
  autoStart: true,
  requires: [ILakeSource, ICatalogTree, ITablePages],
  optional: [
    INotebookTracker,
    IEnvironmentCheck,
    ICommandPalette,
    ILauncher,
    ITranslator
  ],
  activate: (
    app: JupyterFrontEnd,
    source: ILakeSource,
    tree: ICatalogTree,
    pages: ITablePages,
    notebooks: INotebookTracker | null,
    environment: IEnvironmentCheck | null,
    palette: ICommandPalette | null,
    launcher: ILauncher | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('paimon_workbench');
    const needs = { app, source, tree, pages, notebooks, environment, trans };
    const commands = {
      ...catalogCommands(needs),
      ...tableCommands(needs),
      ...viewCommands(needs),
      ...welcomeCommands(needs)
    };
    addCommands(needs, commands, palette);
    launcher?.add({
      command: 'paimon:open-panel',
      args: { from: 'launcher' },
      category: trans.__('Other')
    });
  }
};
