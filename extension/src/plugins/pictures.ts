/* eslint-disable jupyter/prefer-lazy-imports -- outputs are drawn as soon as a notebook opens */
import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IThemeManager } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { figureDrawer } from '../charts/plot';
import { chartRenderer } from '../charts/renderer';
import { JobLinks } from '../jobs/links';
import { jobRenderer } from '../jobs/renderer';
import { jobWords } from '../jobs/words';
import { viewWords } from '../page/words';
import { WidgetComms } from '../saved/comms';
import { pictureRenderer } from '../saved/renderer';

export const picturesPlugin: JupyterFrontEndPlugin<void> = {
  id: 'paimon-workbench:pictures',
  description: 'Draws views in notebooks, with or without a running kernel.',
  autoStart: true,
  optional: [IThemeManager, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    themes: IThemeManager | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('paimon_workbench');
    // Added for each notebook, because the kernel is known only there.
    app.docRegistry.addWidgetExtension('Notebook', {
      createNew: (panel: NotebookPanel) => {
        const { rendermime } = panel.content;
        const comms = new WidgetComms(panel.sessionContext);
        rendermime.addFactory(
          pictureRenderer({
            words: viewWords(trans),
            figure: figureDrawer({ rendermime, themes }),
            join: (id, listener) => comms.join(id, listener),
            html: () => rendermime.createRenderer('text/html')
          })
        );
        return comms;
      }
    });
  }
};

export const jobsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'paimon-workbench:jobs',
  description: 'Shows the jobs of cells, including background jobs.',
  autoStart: true,
  optional: [ITranslator],
  activate: (app: JupyterFrontEnd, translator: ITranslator | null) => {
    const trans = (translator ?? nullTranslator).load('paimon_workbench');
    app.docRegistry.addWidgetExtension('Notebook', {
      createNew: (panel: NotebookPanel) => {
        const links = new JobLinks(panel);
        panel.content.rendermime.addFactory(
          jobRenderer({
            words: jobWords(trans),
            join: (id, listener) => links.join(id, listener),
            interrupt: () => links.interrupt()
          })
        );
        return links;
      }
    });
  }
};

export const chartsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'paimon-workbench:charts',
  description: 'Draws the charts of query results in the theme of the page.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [IThemeManager, ITranslator],
  activate: (
    _app: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    themes: IThemeManager | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('paimon_workbench');
    const words = viewWords(trans);
    rendermime.addFactory(chartRenderer({ words, rendermime, themes }));
  }
};
