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

/** The views with a picture, in the order of their tabs; notebook widgets draw them too. */
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
