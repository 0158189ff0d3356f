import { DATA } from './data';
import { OVERVIEW } from './overview';
import { PICTURES } from './pictures';
import { viewDefinitions } from './registry';
import { SCHEMA } from './schema';

/** Register the views of this extension in the order of their tabs. */
export function registerViews(): void {
  const views = [OVERVIEW, DATA, ...PICTURES, SCHEMA];
  views.forEach(view => viewDefinitions.register(view));
}
