import type { Int64 } from '../../contract';
import { html } from '../markup';
import { Stage, type View, type ViewHost } from '../stage';
import {
  conditionMarkup,
  grid,
  severityName,
  SEVERITY_SIGNS,
  type Severity
} from './markup';

/**
 * The health of one table of a catalog; `finding` is the title of its worst finding, and `sql` the statement that fixes
 * it.
 */
export interface TableHealthValue {
  readonly table: string;
  readonly condition: Severity;
  readonly finding: string;
  readonly findings: number;
  readonly sql: string;
  readonly files: Int64;
  readonly size: Int64;
  readonly snapshot: Int64 | null;
}

/** The tables of a catalog that were read so far, worst first, out of `total`. */
export interface CatalogHealthValue {
  readonly catalog: string;
  readonly condition: Severity;
  readonly text: string;
  readonly tables: readonly TableHealthValue[];
  readonly total: number;
  readonly is_complete: boolean;
  readonly cancelled: boolean;
}

/** Requests to stop reading. */
export interface CatalogHealthEvent {
  kind: 'cancel';
}

/** Laying out more rows than this at once takes too long. */
const MAX_ROWS = 500;

/** Show the tables of a catalog while they are being read, worst first. */
export function catalogHealthView(
  element: HTMLElement,
  host: ViewHost<CatalogHealthEvent>
): View<CatalogHealthValue> {
  const stage = new Stage(element, 'catalog-health', [
    'head',
    'progress',
    'list'
  ]);
  stage.root.addEventListener('click', event => {
    if ((event.target as Element).closest('[data-focus=cancel]')) {
      host.emit({ kind: 'cancel' });
    }
  });
  return {
    update(value: CatalogHealthValue): void {
      const texts = stage.texts(host);
      const title = texts.format('catalogHealthTitle', {
        catalog: value.catalog
      });
      const read = { read: value.tables.length, n: value.total };
      stage.name(title);
      stage.redraw(() => {
        stage.fill(
          'head',
          html`<h3>${title}</h3>
            ${
              // Nothing is known of a catalog before its first table is read.
              (value.tables.length > 0 || value.total === 0) &&
              conditionMarkup(value.condition, value.text, texts)
            }`
        );
        stage.fill(
          'progress',
          value.is_complete
            ? html`${
                value.cancelled &&
                html`<p class="pwv-notice">
                  ${texts.format('healthStopped', read)}
                </p>`
              }`
            : html`<p class="pwv-tools">
                <progress
                  max="${value.total}"
                  value="${value.tables.length}"
                  aria-label="${texts.format('healthReading', read)}"
                ></progress>
                ${texts.format('healthReading', read)}
                <button type="button" data-focus="cancel">
                  ${texts.format('stopReading')}
                </button>
              </p>`
        );
        stage.fill(
          'list',
          grid(
            texts.format('catalogHealthTitle', { catalog: value.catalog }),
            [
              texts.format('condition'),
              texts.format('tableField'),
              texts.format('worstFinding'),
              texts.format('statementOfFix'),
              texts.format('filesField'),
              texts.format('size')
            ],
            value.tables
              .slice(0, MAX_ROWS)
              .map(each => [
                `${SEVERITY_SIGNS[each.condition]} ${severityName(each.condition, texts)}`,
                each.table,
                each.finding || texts.format('nothingToDo'),
                each.sql,
                texts.count(each.files),
                texts.size(each.size)
              ])
          )
        );
      });
      if (value.is_complete) {
        stage.announce(value.text);
      }
    },
    dispose: () => stage.dispose()
  };
}
