import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Dialog, showDialog } from '@jupyterlab/apputils';
import { addIcon } from '@jupyterlab/ui-components';
import { paimonIcon } from '../icons';
import { askForCatalog } from '../panel/addCatalog';
import { PANEL_ID, PanelWidget } from '../panel/widget';
import type { NewCatalog } from '../source';
import type { Command, CommandNeeds } from './command';
import { openSnapshot, SNAPSHOT_ARGUMENTS } from './openSnapshot';
import { treePath } from './target';

/** Commands about catalogs, the panel, and the snapshots that notebooks link to. */
export function catalogCommands(needs: CommandNeeds): Record<string, Command> {
  const { app, trans, tree } = needs;
  return {
    'paimon:open-panel': {
      label: args =>
        args.from === 'launcher'
          ? trans.__('Paimon tables')
          : trans.__('Show Paimon Panel'),
      caption: trans.__('Browse Paimon catalogs, databases and tables'),
      icon: paimonIcon,
      execute: () => showPanel(app)
    },
    'paimon:add-catalog': {
      label: trans.__('Add Catalog…'),
      icon: addIcon,
      properties: {
        name: { type: 'string', description: 'A name for the catalog.' },
        warehouse: {
          type: 'string',
          description: 'The directory or URL of the catalog.'
        },
        remember: {
          type: 'boolean',
          description: 'Whether to save the catalog to the user’s catalog file.'
        }
      },
      execute: async ({ name, warehouse, remember }) => {
        const known = {
          ...(typeof name === 'string' && { name }),
          ...(typeof warehouse === 'string' && { warehouse }),
          remember: remember === true
        };
        const add = (catalog: NewCatalog) => tree.addCatalog(catalog);
        if (await askForCatalog({ trans, known, add })) {
          app.shell.activateById(PANEL_ID);
        }
      }
    },
    'paimon:remove-catalog': {
      label: trans.__('Remove Catalog'),
      menuLabel: trans.__('Remove'),
      inPalette: false,
      isEnabled: () => sessionCatalog(needs) !== null,
      execute: async () => {
        const name = sessionCatalog(needs);
        if (name !== null && (await confirmRemoval(needs, name))) {
          await tree.removeCatalog(name);
        }
      }
    },
    'paimon:open-snapshot': {
      label: trans.__('Open Snapshot'),
      inPalette: false,
      properties: SNAPSHOT_ARGUMENTS,
      execute: args => openSnapshot(needs, args)
    }
  };
}

/** Show the panel and move the focus to its tree. */
function showPanel({ shell }: JupyterFrontEnd): void {
  shell.activateById(PANEL_ID);
  // The palette restores the focus right after this.
  requestAnimationFrame(() => {
    for (const widget of shell.widgets('left')) {
      if (widget instanceof PanelWidget) {
        widget.focusTree();
      }
    }
  });
}

function sessionCatalog(needs: CommandNeeds): string | null {
  const path = treePath(needs);
  const catalog = path && needs.tree.catalog(path[0]);
  return catalog?.origin === 'session' ? catalog.name : null;
}

async function confirmRemoval(
  { trans }: CommandNeeds,
  name: string
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('Remove catalog %1?', name),
    body: trans.__(
      'The catalog is removed from this list. Its tables are not changed.'
    ),
    buttons: [
      Dialog.cancelButton(),
      Dialog.okButton({ label: trans.__('Remove') })
    ]
  });
  return button.accept;
}
