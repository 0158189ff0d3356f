import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { CatalogValue } from './contract';
import { prepareCode } from './copy';
import { codeOf, kernelFacts } from './kernel';

/**
 * Insert a cell below the active one, preceded by a cell with the code it needs; if no notebook is open, in a new one.
 */
export async function insertCode(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  catalog: CatalogValue,
  code: string
): Promise<void> {
  const open = tracker.currentWidget;
  const panel = open ?? (await newNotebook(app));
  if (!panel?.content.model) {
    // The user did not select a kernel.
    return;
  }
  const prepared = await preparation(panel, catalog);
  const sources = [prepared, code].filter(Boolean);
  const notebook = panel.content;
  const at = open ? notebook.activeCellIndex + 1 : 0;
  const cells = sources.map(source => ({
    cell_type: 'code' as const,
    source,
    metadata: { trusted: true }
  }));
  panel.content.model.sharedModel.insertCells(at, cells);
  app.shell.activateById(panel.id);
  notebook.deselectAll();
  notebook.activeCellIndex = at + sources.length - 1;
  await notebook.scrollToItem(notebook.activeCellIndex);
}

async function newNotebook(
  app: JupyterFrontEnd
): Promise<NotebookPanel | null> {
  const { kernelspecs } = app.serviceManager;
  await kernelspecs.ready;
  const kernelName = kernelspecs.specs?.default;
  const made = await app.commands.execute('notebook:create-new', {
    kernelName
  });
  const panel = made as NotebookPanel | undefined;
  await panel?.context.ready;
  return panel ?? null;
}

/**
 * Return the lines that must run first. If the kernel cannot be queried or has not loaded the library, assume that it
 * will run the existing cells of the notebook.
 */
async function preparation(
  panel: NotebookPanel,
  catalog: CatalogValue
): Promise<string> {
  const facts = await kernelFacts(panel.sessionContext);
  if (facts?.loaded) {
    return prepareCode(catalog, facts);
  }
  const needed = prepareCode(catalog, { loaded: false, connected: null });
  const held = codeOf(panel).join('\n').split('\n');
  const lines = needed.split('\n').filter(line => !held.includes(line));
  return lines.join('\n');
}
