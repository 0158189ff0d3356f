import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Token } from '@lumino/coreutils';
import type { Store } from './state/store';
import type { ByteUnits } from './state/texts';
import { viewDefinitions } from './viewDefinitions/registry';

/** The name of the settings, which is the id of the plugin that reads them. */
export const SETTINGS_ID = 'paimon-workbench:plugin';

/** The user settings; `schema/plugin.json` describes them. */
export interface PaimonSettings {
  readonly pageSize: number;
  readonly openOn: 'single' | 'double';
  readonly follow: boolean;
  readonly firstTab: string;
  readonly byteUnits: ByteUnits;
  readonly welcome: boolean;
}

export type IPaimonSettings = Store<PaimonSettings>;
export const IPaimonSettings = new Token<IPaimonSettings>(
  'paimon-workbench:IPaimonSettings',
  'The settings of the Paimon panel and its table pages.'
);

export const DEFAULTS: Omit<PaimonSettings, 'firstTab'> = {
  pageSize: 1000,
  openOn: 'single',
  follow: true,
  byteUnits: 'binary',
  welcome: true
};

/** Return the current settings, with defaults for missing ones; the schema has validated them. */
export function readSettings(
  settings: ISettingRegistry.ISettings
): PaimonSettings {
  const given = settings.composite as Partial<PaimonSettings>;
  const { firstTab } = viewDefinitions;
  const read = { firstTab, ...DEFAULTS, ...given };
  const known = viewDefinitions.hasTab(read.firstTab);
  return known ? read : { ...read, firstTab };
}
