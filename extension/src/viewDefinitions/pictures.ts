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

/** The views with a picture, which notebook widgets draw as well. */
export const PICTURES: readonly ViewDefinition[] = [
  SUMMARY,
  CHANGES,
  TIMELINE,
  LEVELS,
  BIOGRAPHY,
  COMPACTION,
  EXPLAIN,
  HEALTH,
  CATALOG_HEALTH,
  EXPLORE
];
