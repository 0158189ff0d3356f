/* eslint-disable jupyter/prefer-lazy-imports -- the panel reads the catalogs at once */
import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { ServerSource } from '../server/serverSource';
import { ILakeSource } from '../source';

export const sourcePlugin: JupyterFrontEndPlugin<ILakeSource> = {
  id: 'paimon-workbench:source',
  description: 'Reads catalogs and tables through the server extension.',
  autoStart: true,
  optional: [ITranslator],
  provides: ILakeSource,
  activate: (app, translator: ITranslator | null) => {
    const trans = (translator ?? nullTranslator).load('paimon_workbench');
    return new ServerSource(app.serviceManager.serverSettings, trans);
  }
};
