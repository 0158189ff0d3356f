import { commandsPlugin } from './plugins/commands';
import {
  environmentPlugin,
  snapshotLinkPlugin,
  sqlCellsPlugin
} from './plugins/notebooks';
import { pagesPlugin } from './plugins/pages';
import { panelPlugin } from './plugins/panel';
import { chartsPlugin, jobsPlugin, picturesPlugin } from './plugins/pictures';
import { settingsPlugin } from './plugins/settings';
import { sourcePlugin } from './plugins/source';
import { welcomePlugin } from './plugins/welcome';

export default [
  settingsPlugin,
  sourcePlugin,
  panelPlugin,
  pagesPlugin,
  commandsPlugin,
  welcomePlugin,
  environmentPlugin,
  picturesPlugin,
  chartsPlugin,
  jobsPlugin,
  snapshotLinkPlugin,
  sqlCellsPlugin
];
