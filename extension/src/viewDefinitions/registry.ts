import { ViewDefinitions } from './definition';

/** The registry of all views, from which tabs, commands, page models and widgets are created. */
export const viewDefinitions = new ViewDefinitions();
