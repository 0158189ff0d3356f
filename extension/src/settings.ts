import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Token } from '@lumino/coreutils';
import { TABS, type Tab } from './page/model';
import type { Store } from './state/store';
import type { ByteUnits } from './state/texts';

/** What a user can choose; titles and meanings stand in `schema/plugin.json`. */
export interface PaimonSettings {
  readonly pageSize: number;
  readonly openOn: 'single' | 'double';
  readonly follow: boolean;
  readonly firstTab: Tab;
  readonly byteUnits: ByteUnits;
}

export type IPaimonSettings = Store<PaimonSettings>;
export const IPaimonSettings = new Token<IPaimonSettings>(
  'paimon-workbench:IPaimonSettings',
  'The settings of the Paimon panel and of its table pages.'
);

export const DEFAULTS: PaimonSettings = {
  pageSize: 1000,
  openOn: 'single',
  follow: true,
  firstTab: 'overview',
  byteUnits: 'binary'
};

/** The settings in force: the schema has checked them, the defaults stand in for what is missing. */
export function readSettings(
  settings: ISettingRegistry.ISettings
): PaimonSettings {
  const given = settings.composite as Partial<PaimonSettings>;
  const read = { ...DEFAULTS, ...given };
  const known = TABS.includes(read.firstTab);
  return known ? read : { ...read, firstTab: DEFAULTS.firstTab };
}
