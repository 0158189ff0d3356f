import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { CatalogValue } from './contract';
import { cellCode, prepareCode } from './copy';
import { codeOf, kernelFacts } from './kernel';
import type { TableName } from './state/names';
import type { Version } from './state/version';

/** Put a `%%paimon` cell below the active one, and before it what the kernel needs first; in a new notebook if none is open. */
export async function insertCell(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  catalog: CatalogValue,
  name: TableName,
  version: Version
): Promise<void> {
  const open = tracker.currentWidget;
  const panel = open ?? (await newNotebook(app));
  if (!panel?.content.model) {
    // The user thought better of choosing a kernel.
    return;
  }
  const prepared = await preparation(panel, catalog);
  const sources = [prepared, cellCode(name, version)].filter(Boolean);
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
 * The lines that must run first. A kernel that cannot be asked, or that has not loaded the library, is taken to run
 * what the notebook holds already.
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
