/** The pictures turn values into accessible HTML and events. They do not import JupyterLab. */
export {
  exploreView,
  type ExploreEvent,
  type ExploreValue,
  type OpenTable
} from './explore/view';
export { levelsView, type LevelsEvent } from './levels/picture';
export type { View, ViewHost } from './stage';
export { STYLES } from './styles';
export { levelsTable, timelineTable } from './tables';
export { Texts } from './texts';
export {
  timelineView,
  type TimelineEvent,
  type TimelineShown
} from './history/timeline';
export { ENGLISH, type Words } from './words';
