import type { SummaryValue } from '../../contract';
import { TableDisclosure } from '../disclosure';
import { Stage, type View, type ViewHost } from '../stage';
import { summaryMarkup, summaryTables } from './picture';

/** Requests the exact number of rows of a snapshot. */
export interface SummaryEvent {
  kind: 'count-rows';
  snapshot: string;
}

/** Show the content of a table and its condition. */
export function summaryView(
  element: HTMLElement,
  host: ViewHost<SummaryEvent>
): View<SummaryValue> {
  return new SummaryPicture(element, host);
}

class SummaryPicture implements View<SummaryValue> {
  private readonly stage: Stage;
  private readonly disclosure: TableDisclosure;
  private snapshot: string | null = null;

  constructor(
    element: HTMLElement,
    private readonly host: ViewHost<SummaryEvent>
  ) {
    this.stage = new Stage(element, 'summary', ['summary', 'table']);
    this.disclosure = new TableDisclosure(this.stage.part('table'));
    this.stage.root.addEventListener('click', event => {
      const isCount = (event.target as Element).closest('[data-focus=count]');
      if (isCount && this.snapshot !== null) {
        this.host.emit({ kind: 'count-rows', snapshot: this.snapshot });
      }
    });
  }

  update(value: SummaryValue): void {
    const { stage } = this;
    const texts = stage.texts(this.host);
    this.snapshot = value.snapshot;
    stage.name(texts.format('summaryTitle', { table: value.table }));
    stage.redraw(() =>
      stage.fill('summary', summaryMarkup(value, texts, true))
    );
    this.disclosure.update(texts.format('columnsAndOptions'), () =>
      summaryTables(value, texts)
    );
  }

  dispose(): void {
    this.stage.dispose();
  }
}
