import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { ITablePages, TablePages } from '../page/pages';
import { ICatalogTree } from './panel';
import { IPaimonSettings } from '../settings';
import { ILakeSource } from '../source';

export const pagesPlugin: JupyterFrontEndPlugin<ITablePages> = {
  id: 'paimon-workbench:pages',
  description: 'Pages of tables in the main area.',
  autoStart: true,
  requires: [ILakeSource, IPaimonSettings],
  optional: [ICatalogTree, ILayoutRestorer, ITranslator],
  provides: ITablePages,
  activate: (
    app: JupyterFrontEnd,
    source: ILakeSource,
    settings: IPaimonSettings,
    tree: ICatalogTree | null,
    restorer: ILayoutRestorer | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('paimon_workbench');
    const pages = new TablePages({
      app,
      source,
      settings,
      trans,
      markDamaged: ({ catalog, database, table }, isDamaged) =>
        tree?.markDamaged([catalog, database, table], isDamaged),
      catalog: async name => {
        const { catalogOf } = await import('../commands/target');
        return catalogOf({ tree, source, trans }, name);
      }
    });
    if (restorer) {
      void pages.restore(restorer);
    }
    return pages;
  }
};
