import {
  ILabShell,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { PageConfig } from '@jupyterlab/coreutils';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IPaimonSettings, SETTINGS_ID } from '../settings';

/** The prefix of the ids of launchers. */
const LAUNCHER = 'launcher';

export const welcomePlugin: JupyterFrontEndPlugin<void> = {
  id: 'paimon-workbench:welcome',
  description: 'Shows the welcome page once if nothing else is open.',
  autoStart: true,
  requires: [IPaimonSettings, ISettingRegistry],
  optional: [ILabShell],
  activate: async (
    app: JupyterFrontEnd,
    settings: IPaimonSettings,
    registry: ISettingRegistry,
    shell: ILabShell | null
  ) => {
    // Notebook 7 has no `ILabShell`: it opens each document in its own window.
    // A document in the URL, such as the quickstart, opens only after the restored documents.
    const opensDocument = PageConfig.getOption('treePath') !== '';
    if (!shell || !settings.state.welcome || opensDocument) {
      return;
    }
    void app.restored.then(async () => {
      const open = [...shell.widgets('main')];
      if (open.every(({ id }) => id.startsWith(LAUNCHER))) {
        await app.commands.execute('paimon:open-welcome');
        await registry.set(SETTINGS_ID, 'welcome', false);
      }
    });
  }
};
