import type { Contents } from '@jupyterlab/services';
import { notebookIcon } from '@jupyterlab/ui-components';
import { MAGIC } from '../copy';
import { paimonIcon } from '../icons';
import { insertCode } from '../insertCell';
import type { Command, CommandNeeds } from './command';

const QUICKSTART = 'quickstart.ipynb';
/** The folder that `paimon-workbench demo` creates. */
const DEMO_FOLDER = 'paimon-demo';
const FIRST_CELL = `${MAGIC}\nSHOW DATABASES`;

/** Commands that help users get started. */
export function welcomeCommands(needs: CommandNeeds): Record<string, Command> {
  const { app, trans } = needs;
  const { commands, shell } = app;
  return {
    'paimon:open-welcome': {
      label: trans.__('Show Welcome Page'),
      icon: paimonIcon,
      execute: async () => {
        const { welcomePage, WELCOME_ID } = await import('../welcome/widget');
        const isOpen = [...shell.widgets('main')].some(
          ({ id }) => id === WELCOME_ID
        );
        if (!isOpen) {
          const { contents } = app.serviceManager;
          const page = welcomePage({
            trans,
            findQuickstart: () => findQuickstart(contents),
            addCatalog: () => void commands.execute('paimon:add-catalog'),
            openNotebook: path =>
              void commands.execute('docmanager:open', { path }),
            insertFirstCell: () => void commands.execute('paimon:first-cell')
          });
          shell.add(page, 'main');
        }
        shell.activateById(WELCOME_ID);
      }
    },
    'paimon:first-cell': {
      label: trans.__('Insert First %1 Cell', MAGIC),
      icon: notebookIcon,
      isEnabled: () => needs.notebooks !== null,
      execute: async () => {
        const [first] = (await needs.source.read('catalogs', {})).items;
        if (first && needs.notebooks) {
          await insertCode(app, needs.notebooks, first, FIRST_CELL);
        } else {
          await commands.execute('paimon:add-catalog');
        }
      }
    }
  };
}

/** Return the path of the quickstart notebook, or null if the server has none. */
async function findQuickstart(
  contents: Contents.IManager
): Promise<string | null> {
  const top = await list(contents, '');
  if (top.some(({ name }) => name === QUICKSTART)) {
    return QUICKSTART;
  }
  if (!top.some(({ name }) => name === DEMO_FOLDER)) {
    return null;
  }
  const files = await list(contents, DEMO_FOLDER);
  return files.find(({ name }) => name === QUICKSTART)?.path ?? null;
}

async function list(
  contents: Contents.IManager,
  path: string
): Promise<readonly Contents.IModel[]> {
  return (await contents.get(path)).content as readonly Contents.IModel[];
}
