/* eslint-disable jupyter/prefer-lazy-imports -- the settings name tabs, so the views are needed at once */
import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IPaimonSettings, readSettings, SETTINGS_ID } from '../settings';
import { Store } from '../state/store';
import { registerViews } from '../viewDefinitions';

export const settingsPlugin: JupyterFrontEndPlugin<IPaimonSettings> = {
  id: SETTINGS_ID,
  description: 'The settings of the panel and of the table pages.',
  autoStart: true,
  requires: [ISettingRegistry],
  provides: IPaimonSettings,
  activate: async (_app, registry: ISettingRegistry) => {
    // The settings name tabs, and all other plugins of the pages require the settings.
    registerViews();
    const settings = await registry.load(SETTINGS_ID);
    const store = new Store(readSettings(settings));
    settings.changed.connect(() => store.set(readSettings(settings)));
    return store;
  }
};
