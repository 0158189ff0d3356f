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

/** The health of one table of a catalog; `finding` is the title of its worst finding, `sql` what fixes it. */
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

/** The tables of a catalog that were read, the worst first, of `total`. */
export interface CatalogHealthValue {
  readonly catalog: string;
  readonly condition: Severity;
  readonly text: string;
  readonly tables: readonly TableHealthValue[];
  readonly total: number;
  readonly is_complete: boolean;
  readonly cancelled: boolean;
}

/** Asks to stop reading. */
export interface CatalogHealthEvent {
  kind: 'cancel';
}

/** More rows than these take too long to lay out at once. */
const MAX_ROWS = 500;

/** Show the tables of a catalog, the worst first, while they are read. */
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
      const title = texts.say('catalogHealthTitle', { catalog: value.catalog });
      const read = { n: value.tables.length, total: value.total };
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
                  ${texts.say('healthStopped', read)}
                </p>`
              }`
            : html`<p class="pwv-tools">
                <progress
                  max="${value.total}"
                  value="${value.tables.length}"
                  aria-label="${texts.say('healthReading', read)}"
                ></progress>
                ${texts.say('healthReading', read)}
                <button type="button" data-focus="cancel">
                  ${texts.say('stopReading')}
                </button>
              </p>`
        );
        stage.fill(
          'list',
          grid(
            texts.say('catalogHealthTitle', { catalog: value.catalog }),
            [
              texts.say('condition'),
              texts.say('tableField'),
              texts.say('worstFinding'),
              texts.say('statementOfFix'),
              texts.say('filesField'),
              texts.say('size')
            ],
            value.tables
              .slice(0, MAX_ROWS)
              .map(each => [
                `${SEVERITY_SIGNS[each.condition]} ${severityName(each.condition, texts)}`,
                each.table,
                each.finding || texts.say('nothingToDo'),
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
