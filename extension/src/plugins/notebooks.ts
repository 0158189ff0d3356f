import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { EnvironmentCheck, IEnvironmentCheck } from '../environment';
import { snapshotRenderer } from '../snapshotLink';
import { ILakeSource } from '../source';
import { ICatalogTree } from './panel';

export const environmentPlugin: JupyterFrontEndPlugin<IEnvironmentCheck> = {
  id: 'paimon-workbench:environment',
  description:
    'Shows a notice if a kernel and the server use different environments.',
  autoStart: true,
  requires: [ILakeSource, ICatalogTree, INotebookTracker],
  optional: [ITranslator],
  provides: IEnvironmentCheck,
  activate: (
    _app: JupyterFrontEnd,
    source: ILakeSource,
    tree: ICatalogTree,
    notebooks: INotebookTracker,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('paimon_workbench');
    return new EnvironmentCheck(source, tree, notebooks, trans);
  }
};

export const sqlCellsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'paimon-workbench:sql-cells',
  description: 'Highlights cells that begin with %%paimon as SQL.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, notebooks: INotebookTracker) => {
    notebooks.widgetAdded.connect((_, panel) => {
      void import('../sqlCells').then(module => module.watchSqlCells(panel));
    });
  }
};

export const snapshotLinkPlugin: JupyterFrontEndPlugin<void> = {
  id: 'paimon-workbench:snapshot-link',
  description: 'Links the output of a write to the snapshot that it created.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [IEnvironmentCheck, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    environment: IEnvironmentCheck | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('paimon_workbench');
    const renderer = snapshotRenderer({
      trans,
      open: ({ warehouse, catalog, database, table, snapshot }) =>
        void app.commands.execute('paimon:open-snapshot', {
          warehouse,
          catalog,
          database,
          table,
          snapshot
        }),
      rendered: () => environment?.check()
    });
    rendermime.addFactory(renderer);
  }
};
