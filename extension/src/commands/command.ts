import { Dialog, showDialog, type ICommandPalette } from '@jupyterlab/apputils';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { INotebookTracker } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import type {
  ReadonlyJSONObject,
  ReadonlyPartialJSONObject
} from '@lumino/coreutils';
import type { IEnvironmentCheck } from '../environment';
import type { ITablePages } from '../page/pages';
import type { TreeModel } from '../panel/model';
import { errorValue, type ILakeSource } from '../source';

/** The services that commands use. */
export interface CommandNeeds {
  readonly app: JupyterFrontEnd;
  readonly source: ILakeSource;
  readonly tree: TreeModel;
  readonly pages: ITablePages;
  readonly notebooks: INotebookTracker | null;
  readonly environment: IEnvironmentCheck | null;
  readonly trans: TranslationBundle;
}

export type Arguments = ReadonlyPartialJSONObject;

/** A command; `menuLabel` is its label in the tree's context menu. */
export interface Command extends Omit<
  CommandRegistry.ICommandOptions,
  'label' | 'describedBy'
> {
  readonly label: string | ((args: Arguments) => string);
  readonly menuLabel?: string;
  readonly properties?: ReadonlyJSONObject;
  readonly inPalette?: boolean;
  execute(args: Arguments): unknown;
}

/** Register commands that report their errors in a dialog. */
export function addCommands(
  { app, trans }: CommandNeeds,
  commands: Readonly<Record<string, Command>>,
  palette: ICommandPalette | null
): void {
  const category = trans.__('Paimon');
  for (const [id, command] of Object.entries(commands)) {
    const { label, menuLabel, properties, inPalette, execute, ...options } =
      command;
    const labelFor = typeof label === 'string' ? () => label : label;
    app.commands.addCommand(id, {
      ...options,
      label: args => (args.from === 'tree' && menuLabel) || labelFor(args),
      describedBy: {
        args: { type: 'object', properties: { ...FROM, ...properties } }
      },
      execute: async args => {
        try {
          return await execute(args);
        } catch (error) {
          const { message, hint } = errorValue(error);
          const text = [message, hint].filter(Boolean).join(' ');
          await showDialog({
            title: labelFor(args),
            body: text,
            buttons: [Dialog.okButton()]
          });
        }
      }
    });
    if (inPalette !== false) {
      palette?.addItem({ command: id, category });
    }
  }
}

const FROM: ReadonlyJSONObject = {
  from: {
    type: 'string',
    enum: ['tree', 'launcher'],
    description:
      'Where the command was selected; from the tree, it applies to the active row.'
  }
};

export const TABLE_ARGUMENTS: ReadonlyJSONObject = {
  catalog: { type: 'string', description: 'The name of the catalog.' },
  database: { type: 'string', description: 'The name of the database.' },
  table: { type: 'string', description: 'The name of the table.' },
  version: {
    type: 'string',
    description: 'The version: latest, a snapshot id, or tag:NAME.'
  }
};
