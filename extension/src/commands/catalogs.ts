import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Dialog, showDialog } from '@jupyterlab/apputils';
import { addIcon } from '@jupyterlab/ui-components';
import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { cellCode } from '../copy';
import { kindIcons, paimonIcon } from '../icons';
import { askForCatalog } from '../panel/addCatalog';
import { showEntry } from '../panel/entryDialog';
import { PANEL_ID, PanelWidget } from '../panel/widget';
import { LATEST } from '../state/version';
import type { Arguments, Command, CommandNeeds } from './command';
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
        options: {
          type: 'object',
          description:
            'Paimon’s catalog options, such as metastore and uri. They should not contain secrets.'
        },
        remember: {
          type: 'boolean',
          description: 'Whether to save the catalog to the user’s catalog file.'
        }
      },
      execute: async ({ name, warehouse, options, remember }) => {
        const given = typeof options === 'object' ? options : {};
        const known = {
          ...(typeof name === 'string' && { name }),
          options: {
            ...(given as Record<string, string>),
            ...(typeof warehouse === 'string' && { warehouse })
          },
          remember: remember === true
        };
        const kinds = await tree.kinds();
        if (await askForCatalog({ trans, tree, kinds, known })) {
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
    'paimon:show-view': {
      label: trans.__('Show View'),
      menuLabel: trans.__('Open'),
      icon: kindIcons.view,
      inPalette: false,
      properties: entryArguments('view'),
      execute: async args => {
        const [catalog, database, view] = entryNames(needs, args, 'view');
        const request = { catalog, database, view };
        const value = await needs.source.read('view', request);
        if (await showEntry(trans, 'view', value, needs.notebooks !== null)) {
          const code = cellCode({ ...request, table: view }, LATEST);
          const target = { catalog, database, table: view };
          await app.commands.execute('paimon:insert-cell', { ...target, code });
        }
      }
    },
    'paimon:show-function': {
      label: trans.__('Show Function'),
      menuLabel: trans.__('Open'),
      icon: kindIcons.function,
      inPalette: false,
      properties: entryArguments('function'),
      execute: async args => {
        const [catalog, database, name] = entryNames(needs, args, 'function');
        const request = { catalog, database, function: name };
        const value = await needs.source.read('function', request);
        await showEntry(trans, 'function', value, false);
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

function entryArguments(kind: 'view' | 'function'): ReadonlyJSONObject {
  const names = ['catalog', 'database', kind];
  return Object.fromEntries(names.map(name => [name, { type: 'string' }]));
}

/** Return the full name in the arguments, or that of the tree's row if the command came from the tree. */
function entryNames(
  needs: CommandNeeds,
  args: Arguments,
  kind: 'view' | 'function'
): readonly string[] {
  const path = args.from === 'tree' ? treePath(needs) : null;
  return path ?? [args.catalog, args.database, args[kind]].map(String);
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
