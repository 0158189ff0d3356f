import { BIOGRAPHY } from './biography';
import { CHANGES } from './changes';
import { COMPACTION } from './compaction';
import type { ViewDefinition } from './definition';
import { EXPLAIN } from './explain';
import { EXPLORE } from './explore';
import { CATALOG_HEALTH, HEALTH } from './health';
import { LEVELS } from './levels';
import { SUMMARY } from './summary';
import { TIMELINE } from './timeline';

/** The views with a picture, which notebook widgets draw as well, in the order of their tabs. */
export const PICTURES: readonly ViewDefinition[] = [
  CHANGES,
  TIMELINE,
  LEVELS,
  COMPACTION,
  HEALTH,
  BIOGRAPHY,
  EXPLAIN,
  SUMMARY,
  EXPLORE,
  CATALOG_HEALTH
];
