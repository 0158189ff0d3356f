import { ViewDefinitions } from './definition';

/** All views: tabs, commands, page models and widgets are made from it. */
export const viewDefinitions = new ViewDefinitions();
