/* eslint-disable jupyter/prefer-lazy-imports -- the panel is in the side bar from the start */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';
import { TreeModel } from '../panel/model';
import { PANEL_ID, PanelWidget } from '../panel/widget';
import { IPaimonSettings } from '../settings';
import { ILakeSource } from '../source';

export type ICatalogTree = TreeModel;
export const ICatalogTree = new Token<ICatalogTree>(
  'paimon-workbench:ICatalogTree',
  'The tree of Paimon catalogs, databases and tables.'
);

const SAVED = 'paimon-workbench:tree';
const SAVE_AFTER_MILLIS = 500;

interface Saved {
  readonly expanded: string[];
  /** Whether the panel has been shown automatically once; after that, the user's choice is kept. */
  readonly shown: boolean;
}

export const panelPlugin: JupyterFrontEndPlugin<ICatalogTree> = {
  id: 'paimon-workbench:panel',
  description: 'The tree of catalogs, databases and tables in the left area.',
  autoStart: true,
  requires: [ILakeSource, IPaimonSettings],
  optional: [ILayoutRestorer, IStateDB, ITranslator],
  provides: ICatalogTree,
  activate: (
    app: JupyterFrontEnd,
    source: ILakeSource,
    settings: IPaimonSettings,
    restorer: ILayoutRestorer | null,
    states: IStateDB | null,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('paimon_workbench');
    const tree = new TreeModel(source, () => settings.state.pageSize);
    const panel = new PanelWidget({
      model: tree,
      trans,
      openOn: () => settings.state.openOn,
      openTable: ([catalog, database, table]) =>
        void app.commands.execute('paimon:open-table', {
          catalog,
          database,
          table
        }),
      openEntry: (kind, [catalog, database, name]) =>
        void app.commands.execute(`paimon:show-${kind}`, {
          catalog,
          database,
          [kind]: name
        }),
      addCatalog: () => void app.commands.execute('paimon:add-catalog')
    });
    app.shell.add(panel, 'left', { rank: 300 });
    restorer?.add(panel, PANEL_ID);
    keepFocus(app, panel);
    void start(app, tree, states);
    return tree;
  }
};

/** Move the focus back to the tree when a menu that was opened from it closes. */
function keepFocus(app: JupyterFrontEnd, panel: PanelWidget): void {
  let isRequested = false;
  panel.node.addEventListener('contextmenu', () => {
    isRequested = true;
  });
  app.contextMenu.menu.aboutToClose.connect(() => {
    const back = isRequested;
    isRequested = false;
    requestAnimationFrame(() => {
      if (back && document.activeElement === document.body) {
        panel.focusTree();
      }
    });
  });
}

/**
 * Restore the expanded nodes, read the catalogs, and show the panel as soon as there are catalogs for the first time.
 * In a new workspace, expand the first catalog.
 */
async function start(
  app: JupyterFrontEnd,
  tree: TreeModel,
  states: IStateDB | null
): Promise<void> {
  const saved = (await states?.fetch(SAVED)) as Partial<Saved> | undefined;
  tree.restore(saved?.expanded ?? []);
  const read = tree.reload();
  await app.restored;
  await read;
  let shown = saved?.shown ?? false;
  if (!shown && tree.store.state.catalogs.value?.length) {
    app.shell.activateById(PANEL_ID);
    shown = true;
    if (saved === undefined) {
      await tree.expandFirst();
    }
  }
  const save = (): void => {
    const expanded = [...tree.store.state.browsed.expanded];
    void states?.save(SAVED, { expanded, shown });
  };
  save();
  let timer = 0;
  let { browsed } = tree.store.state;
  tree.store.subscribe(() => {
    if (tree.store.state.browsed.expanded !== browsed.expanded) {
      ({ browsed } = tree.store.state);
      window.clearTimeout(timer);
      timer = window.setTimeout(save, SAVE_AFTER_MILLIS);
    }
  });
}
