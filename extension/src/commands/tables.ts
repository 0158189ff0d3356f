import type { ReadonlyJSONObject } from '@lumino/coreutils';
import { copyIcon, notebookIcon, refreshIcon } from '@jupyterlab/ui-components';
import { copyText } from '../clipboard';
import { cellCode, MAGIC, pythonCode, tagCode } from '../copy';
import { paimonIcon } from '../icons';
import { insertCode } from '../insertCell';
import { locationOf as pageLocationOf } from '../page/pages';
import { LakeError } from '../source';
import { fullName } from '../state/names';
import { versionParameters } from '../state/version';
import { askForTable } from './askForTable';
import { TABLE_ARGUMENTS, type Command, type CommandNeeds } from './command';
import { viewDefinitions } from '../viewDefinitions/registry';
import { catalogOf, targetOf, treePath } from './target';

/** The arguments that name a table, a version and a tab, plus the arguments of all views. */
function locationArguments(): ReadonlyJSONObject {
  const views = viewDefinitions.tabs;
  return Object.assign(
    { ...TABLE_ARGUMENTS },
    { tab: { type: 'string', enum: views.map(({ name }) => name) } },
    ...views.map(({ tab }) => tab.arguments ?? {})
  ) as ReadonlyJSONObject;
}

const CODE_ARGUMENT = {
  type: 'string',
  description: 'The lines of the cell; by default, a query for the first rows.'
};

/** Commands about one table: the one named in the arguments, on the page in front, or in the active row of the tree. */
export function tableCommands(needs: CommandNeeds): Record<string, Command> {
  const { trans, pages } = needs;
  const hasTarget = (args: object): boolean =>
    targetOf(needs, { ...args }) !== null;
  return {
    'paimon:open-table': {
      label: trans.__('Open Table…'),
      menuLabel: trans.__('Open'),
      caption: trans.__('Show the schema, history and files of a Paimon table'),
      icon: args => (args.isPalette ? undefined : paimonIcon),
      properties: locationArguments(),
      execute: async args => {
        const asks = !args.table && args.from !== 'tree';
        const name = asks
          ? await askForTable(needs)
          : targetOf(needs, args)?.name;
        if (name) {
          pages.open(name, pageLocationOf(args));
        }
      }
    },
    'paimon:insert-cell': {
      label: trans.__('Insert %1 Cell', MAGIC),
      menuLabel: trans.__('Insert %1 cell', MAGIC),
      icon: notebookIcon,
      properties: { ...TABLE_ARGUMENTS, code: CODE_ARGUMENT },
      isEnabled: args => needs.notebooks !== null && hasTarget(args),
      execute: async args => {
        const target = targetOf(needs, args);
        if (target && needs.notebooks) {
          const { name, version } = target;
          const catalog = await catalogOf(needs, name.catalog);
          const { code: given } = args;
          const code =
            typeof given === 'string' ? given : cellCode(name, version);
          await insertCode(needs.app, needs.notebooks, catalog, code);
          needs.environment?.check();
        }
      }
    },
    'paimon:copy-python': {
      label: trans.__('Copy Table as Python'),
      menuLabel: trans.__('Copy as Python'),
      icon: copyIcon,
      properties: TABLE_ARGUMENTS,
      isEnabled: hasTarget,
      execute: async args => {
        const target = targetOf(needs, args);
        if (target) {
          const catalog = await catalogOf(needs, target.name.catalog);
          copyText(pythonCode(catalog, target.name, target.version), trans);
        }
      }
    },
    'paimon:copy-ddl': {
      label: trans.__('Copy CREATE TABLE'),
      icon: copyIcon,
      properties: TABLE_ARGUMENTS,
      isEnabled: hasTarget,
      execute: async args => {
        const target = targetOf(needs, args);
        if (target) {
          const request = {
            ...target.name,
            ...versionParameters(target.version)
          };
          const { statement } = await needs.source.read('definition', request);
          copyText(statement, trans);
        }
      }
    },
    'paimon:insert-tag-cell': {
      label: trans.__('Insert Cell That Creates a Tag'),
      menuLabel: trans.__('Insert cell that creates a tag'),
      icon: notebookIcon,
      properties: TABLE_ARGUMENTS,
      isEnabled: args => {
        const target = targetOf(needs, args);
        const catalog = target && needs.tree?.catalog(target.name.catalog);
        return needs.notebooks !== null && !!target && !catalog?.read_only;
      },
      execute: async args => {
        const target = targetOf(needs, args);
        if (target && needs.notebooks) {
          const { name, version } = target;
          const request = { ...name, ...versionParameters(version) };
          const { snapshot } = await needs.source.read('summary', request);
          if (snapshot === null) {
            throw new LakeError({
              code: 'snapshot_not_found',
              message: trans.__('%1 has no snapshots yet.', fullName(name)),
              hint: trans.__('Write to the table first.'),
              file: null
            });
          }
          const catalog = await catalogOf(needs, name.catalog);
          const code = tagCode(name, snapshot);
          await insertCode(needs.app, needs.notebooks, catalog, code);
        }
      }
    },
    'paimon:copy-name': {
      label: trans.__('Copy Table Name'),
      menuLabel: trans.__('Copy name'),
      icon: copyIcon,
      properties: TABLE_ARGUMENTS,
      isEnabled: args => args.from === 'tree' || hasTarget(args),
      execute: args => {
        const path = args.from === 'tree' ? treePath(needs) : null;
        const target = targetOf(needs, args);
        if (target) {
          copyText(fullName(target.name), trans);
        } else if (path) {
          // The catalog is no part of the name of what is in it.
          copyText(path.slice(path.length > 1 ? 1 : 0).join('.'), trans);
        }
      }
    },
    'paimon:copy-location': {
      label: trans.__('Copy Table Location'),
      menuLabel: trans.__('Copy location'),
      icon: copyIcon,
      properties: TABLE_ARGUMENTS,
      isEnabled: args => args.from === 'tree' || hasTarget(args),
      execute: async args => {
        const location = await locationOf(needs, args);
        if (location !== null) {
          copyText(location, trans);
        }
      }
    },
    'paimon:refresh': {
      label: trans.__('Refresh Catalogs and Table'),
      menuLabel: trans.__('Refresh'),
      icon: refreshIcon,
      execute: async args => {
        const path = args.from === 'tree' ? treePath(needs) : null;
        if (path) {
          // A table has no children, so reload the list that contains it.
          await needs.tree.refresh(path.slice(0, 2));
          const target = targetOf(needs, args);
          (target && pages.find(target.name))?.refresh();
        } else {
          pages.current?.refresh();
          await needs.tree.reload();
        }
      }
    },
    ...snapshotCommands(needs)
  };
}

function snapshotCommands({
  trans,
  pages
}: CommandNeeds): Record<string, Command> {
  const can = (direction: 'previous' | 'next'): boolean =>
    Boolean(pages.current?.neighbor(direction));
  return {
    'paimon:previous-snapshot': {
      label: trans.__('Previous Snapshot'),
      isEnabled: () => can('previous'),
      execute: () => pages.current?.step('previous')
    },
    'paimon:next-snapshot': {
      label: trans.__('Next Snapshot'),
      isEnabled: () => can('next'),
      execute: () => pages.current?.step('next')
    }
  };
}

async function locationOf(
  needs: CommandNeeds,
  args: Parameters<Command['execute']>[0]
): Promise<string | null> {
  const target = targetOf(needs, args);
  if (target) {
    const request = { ...target.name, ...versionParameters(target.version) };
    return (await needs.source.read('summary', request)).location;
  }
  const path = treePath(needs);
  return path ? (await catalogOf(needs, path[0])).warehouse : null;
}
