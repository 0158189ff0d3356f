import { Schema, SCHEMA as PART } from '../page/Schema';
import type { Part } from '../page/parts';
import type { ViewDefinition } from './definition';

/** The schema of a version and the history of schemas. */
export const SCHEMA: ViewDefinition = {
  name: 'schema',
  tab: {
    title: trans => trans.__('Schema'),
    part: PART as Part,
    Pane: Schema
  }
};
