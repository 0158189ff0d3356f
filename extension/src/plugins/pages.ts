import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IThemeManager } from '@jupyterlab/apputils';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { figureDrawer } from '../charts/plot';
import { ITablePages, TablePages } from '../page/pages';
import { ICatalogTree } from './panel';
import { IPaimonSettings } from '../settings';
import { ILakeSource } from '../source';

export const pagesPlugin: JupyterFrontEndPlugin<ITablePages> = {
  id: 'paimon-workbench:pages',
  description: 'Pages of tables in the main area.',
  autoStart: true,
  requires: [ILakeSource, IPaimonSettings],
  optional: [
    ICatalogTree,
    ILayoutRestorer,
    IRenderMimeRegistry,
    IThemeManager,
    ITranslator
  ],
  provides: ITablePages,
  activate: (
    app: JupyterFrontEnd,
    source: ILakeSource,
    settings: IPaimonSettings,
    tree: ICatalogTree | null,
    restorer: ILayoutRestorer | null,
    rendermime: IRenderMimeRegistry | null,
    themes: IThemeManager | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('paimon_workbench');
    const pages = new TablePages({
      app,
      source,
      settings,
      trans,
      figure: rendermime ? figureDrawer({ rendermime, themes }) : undefined,
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
