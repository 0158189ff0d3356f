import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { DEFAULTS, IPaimonSettings, readSettings } from '../settings';
import { Store } from '../state/store';

export const settingsPlugin: JupyterFrontEndPlugin<IPaimonSettings> = {
  id: 'paimon-workbench:plugin',
  description: 'The settings of the panel and of the table pages.',
  autoStart: true,
  requires: [ISettingRegistry],
  provides: IPaimonSettings,
  activate: async (_app, registry: ISettingRegistry) => {
    const settings = await registry.load(settingsPlugin.id);
    const store = new Store({ ...DEFAULTS, ...readSettings(settings) });
    settings.changed.connect(() => store.set(readSettings(settings)));
    return store;
  }
};
