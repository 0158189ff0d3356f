import type { FindingValue, HealthValue } from '../../contract';
import { TableDisclosure } from '../disclosure';
import { html } from '../markup';
import {
  moveTo,
  ringOf,
  focusablesOf,
  Stage,
  type View,
  type ViewHost
} from '../stage';
import {
  checksMarkup,
  conditionMarkup,
  findingCard,
  findingsTable
} from './markup';

/** A request of the reader: try or insert a fix, list the directories, or open a finding. */
export type HealthEvent =
  | { kind: 'preview'; id: string }
  | { kind: 'insert'; id: string; sql: string }
  | { kind: 'check-storage' }
  | { kind: 'select-finding'; id: string };

/** The health of a table, and whether its catalog refuses every change. */
export interface HealthShown extends HealthValue {
  readonly readOnly?: boolean;
}

const MOVES: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  Home: -Infinity,
  End: Infinity
};

/** Show the findings about a table, worst first, with their fixes. */
export function healthView(
  element: HTMLElement,
  host: ViewHost<HealthEvent>
): View<HealthShown> {
  return new HealthPicture(element, host);
}

class HealthPicture implements View<HealthShown> {
  private readonly stage: Stage;
  private readonly disclosure: TableDisclosure;
  private value: HealthShown | null = null;
  /** The ids of the expanded findings. */
  private readonly open = new Set<string>();
  private stop: string | null = null;
  private checksOpen = false;

  constructor(
    element: HTMLElement,
    private readonly host: ViewHost<HealthEvent>
  ) {
    this.stage = new Stage(element, 'health', [
      'head',
      'findings',
      'checks',
      'table'
    ]);
    this.disclosure = new TableDisclosure(this.stage.part('table'));
    const { root } = this.stage;
    root.addEventListener('click', event => void this.onClick(event));
    root.addEventListener('keydown', event => this.onKey(event));
    root.addEventListener('toggle', event => this.onToggle(event), true);
  }

  update(value: HealthShown): void {
    const before = this.value;
    this.value = value;
    if (before?.table !== value.table) {
      this.open.clear();
      this.stop = null;
      this.checksOpen = false;
      if (value.findings.length > 0) {
        this.open.add(value.findings[0].id);
      }
    } else if (before !== value) {
      this.stage.announce(
        this.texts.format('newFindings', {
          table: value.table,
          text: value.text
        })
      );
    }
    for (const { finding } of value.previews) {
      this.open.add(finding);
    }
    this.draw(value);
  }

  dispose(): void {
    this.stage.dispose();
  }

  private get texts() {
    return this.stage.texts(this.host, this.value?.kind);
  }

  private draw(value: HealthShown): void {
    const { stage, texts } = this;
    const title = texts.format('healthTitle', { table: value.table });
    const stop = this.stop ?? value.findings[0]?.id ?? null;
    stage.name(title);
    stage.redraw(() => {
      stage.fill(
        'head',
        html`<h3>
            ${title}${
              value.snapshot !== null &&
              html` <small
                >${texts.format('atSnapshot', { id: value.snapshot })}</small
              >`
            }
          </h3>
          ${conditionMarkup(value.condition, value.text, texts)}`
      );
      stage.fill(
        'findings',
        html`<ul class="pwv-findings" data-ring="findings">
          ${value.findings.map(finding =>
            findingCard(
              finding,
              {
                open: this.open.has(finding.id),
                stop: finding.id === stop,
                preview:
                  value.previews.find(each => each.finding === finding.id) ??
                  null,
                inserts: this.host.read !== undefined,
                readOnly: value.readOnly ?? false
              },
              texts
            )
          )}
        </ul>`
      );
      stage.fill('checks', checksMarkup(value, this.checksOpen, texts));
    });
    this.disclosure.update(texts.format('healthTables'), () =>
      findingsTable(value, texts)
    );
  }

  private find(id: string | undefined): FindingValue | null {
    return this.value?.findings.find(each => each.id === id) ?? null;
  }

  private async onClick(event: Event): Promise<void> {
    const button = (event.target as Element).closest<HTMLElement>(
      'button[data-action]'
    );
    const action = button?.dataset.action;
    if (action === 'storage') {
      this.host.emit({ kind: 'check-storage' });
      return;
    }
    const finding = this.find(button?.dataset.id);
    if (!finding?.fix) {
      return;
    }
    if (action === 'preview') {
      this.host.emit({ kind: 'preview', id: finding.id });
    } else if (action === 'insert') {
      this.host.emit({ kind: 'insert', id: finding.id, sql: finding.fix.sql });
    } else {
      const { python, sql } = finding.fix;
      const { defaultView: window } = this.stage.root.ownerDocument;
      await window?.navigator.clipboard.writeText(
        action === 'copy-sql' ? sql : python
      );
      this.stage.announce(this.texts.format('copied'));
    }
  }

  private onToggle(event: Event): void {
    const details = event.target as HTMLDetailsElement;
    const { finding, checks } = details.dataset;
    if (finding !== undefined) {
      if (details.open) {
        this.open.add(finding);
      } else {
        this.open.delete(finding);
      }
    } else if (checks !== undefined) {
      this.checksOpen = details.open;
    }
  }

  private onKey(event: KeyboardEvent): void {
    const from = (event.target as Element).closest<HTMLElement>(
      'summary[data-focus]'
    );
    const ring = ringOf(from);
    const step = MOVES[event.key];
    if (!from || !ring || step === undefined || event.altKey || event.metaKey) {
      return;
    }
    const stops = focusablesOf(ring).filter(each => each.matches('summary'));
    const at = Math.min(
      Math.max(stops.indexOf(from) + step, 0),
      stops.length - 1
    );
    event.preventDefault();
    moveTo(stops[at]);
    this.stop = stops[at].dataset.focus?.slice('finding:'.length) ?? null;
  }
}
