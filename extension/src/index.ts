import { commandsPlugin } from './plugins/commands';
import {
  environmentPlugin,
  snapshotLinkPlugin,
  sqlCellsPlugin
} from './plugins/notebooks';
import { pagesPlugin } from './plugins/pages';
import { panelPlugin } from './plugins/panel';
import { chartsPlugin, picturesPlugin } from './plugins/pictures';
import { settingsPlugin } from './plugins/settings';
import { sourcePlugin } from './plugins/source';

export default [
  settingsPlugin,
  sourcePlugin,
  panelPlugin,
  pagesPlugin,
  commandsPlugin,
  environmentPlugin,
  picturesPlugin,
  chartsPlugin,
  snapshotLinkPlugin,
  sqlCellsPlugin
];
