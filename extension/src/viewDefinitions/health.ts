import type { HealthValue } from '../contract';
import { MAGIC, pythonText } from '../copy';
import { partOf, type Part } from '../page/parts';
import {
  catalogHealthView,
  type CatalogHealthEvent,
  type CatalogHealthValue
} from '../views/health/catalog';
import {
  healthView,
  type HealthEvent,
  type HealthShown
} from '../views/health/health';
import type { ViewDefinition } from './definition';

const LISTED = 'listed';
const PART: Part<HealthValue> = {
  name: 'health',
  perVersion: true,
  takes: ['storage'],
  read: (read, { table, version, arguments: { storage } }) =>
    read('health', { ...table, ...version, storage: storage === LISTED })
};

/** The findings about the health of a table, and what fixes them. */
export const HEALTH: ViewDefinition<HealthShown, HealthEvent> = {
  name: 'health',
  picture: {
    draw: healthView,
    fromWidget: value => value as HealthValue | null,
    snapshotOf: value => (value as HealthValue).snapshot,
    // Only the kernel can try a fix or list directories.
    handleOffline: (still, event) =>
      event.kind === 'select-finding' ? still : null
  },
  tab: {
    title: trans => trans.__('Health'),
    part: PART as Part,
    python: table => `wb.health(${table})`,
    cell: table => `%paimon health ${table}`,
    fromPageState: state => {
      const { value } = partOf(state, PART);
      return value && { ...value, readOnly: state.readOnly };
    },
    onEvent: (event, model, actions) => {
      if (event.kind === 'check-storage') {
        model.setArguments({ storage: LISTED });
      } else if (event.kind === 'insert') {
        // The page itself never changes a table: the user runs the cell.
        actions.insertCode(() => `${MAGIC}\n${event.sql}`);
      } else if (event.kind === 'preview') {
        const { id } = event;
        actions.insertView(
          table => `wb.health(${table}).preview(${pythonText(id)})`
        );
      }
    },
    arguments: {
      storage: {
        type: ['string', 'null'],
        description: `'${LISTED}' to list all directories, which finds orphan files.`
      }
    }
  }
};

/** The health of a catalog; only for notebooks. */
export const CATALOG_HEALTH: ViewDefinition<
  CatalogHealthValue,
  CatalogHealthEvent
> = {
  name: 'catalog-health',
  picture: {
    draw: catalogHealthView,
    fromWidget: value => value as CatalogHealthValue | null,
    snapshotOf: () => null,
    handleOffline: () => null
  }
};
