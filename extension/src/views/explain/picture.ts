import type { ExplainValue, StepValue } from '../../contract';
import { TableDisclosure } from '../disclosure';
import { html, type Markup } from '../markup';
import { moveTo, ringOf, Stage, type View, type ViewHost } from '../stage';
import type { Texts } from '../texts';
import { goneText, leftText, MEASURES, type ExplainMeasure } from './numbers';
import {
  advice,
  columnBar,
  factText,
  funnel,
  splitBars,
  splitName,
  stepDetails
} from './parts';
import { table } from '../tables';

export type ExplainEvent =
  | { kind: 'select-step'; name: string }
  | { kind: 'more-files'; name: string }
  | { kind: 'run' }
  | { kind: 'all-footers' };

const PARTS = [
  'head',
  'tools',
  'funnel',
  'step',
  'splits',
  'columns',
  'advice',
  'table'
];
const NAMES = {
  files: 'explainFiles',
  size: 'explainSize',
  rows: 'explainRows'
} as const;

/** The explanation of a read: the funnel of its steps, the facts of one step, splits, columns and suggestions. */
export function explainView(
  element: HTMLElement,
  host: ViewHost<ExplainEvent>
): View<ExplainValue> {
  return new ExplainPicture(element, host);
}

class ExplainPicture implements View<ExplainValue> {
  private readonly stage: Stage;
  private readonly disclosure: TableDisclosure;
  private value: ExplainValue | null = null;
  private measure: ExplainMeasure = 'size';
  private stop = 'all';
  private selected: string | null = null;

  constructor(
    element: HTMLElement,
    private readonly host: ViewHost<ExplainEvent>
  ) {
    this.stage = new Stage(element, 'explain', PARTS);
    this.disclosure = new TableDisclosure(this.stage.part('table'));
    const { root } = this.stage;
    root.addEventListener('click', event => this.onClick(event));
    root.addEventListener('keydown', event => this.onKey(event));
    root.addEventListener('focusin', event => {
      const { step } = (event.target as HTMLElement).dataset;
      this.stop = step ?? this.stop;
    });
  }

  update(value: ExplainValue): void {
    const before = this.value;
    this.value = value;
    if (before?.table !== value.table || before.where !== value.where) {
      // Start with the step that excludes the most files: it explains the read best.
      this.selected = mostExcluding(value.steps)?.name ?? null;
      this.stop = this.selected ?? 'all';
    }
    this.draw(value);
  }

  dispose(): void {
    this.stage.dispose();
  }

  private draw(value: ExplainValue): void {
    const { stage } = this;
    const texts = stage.texts(this.host, value.kind);
    if (!value.steps.some(step => step.name === this.stop)) {
      this.stop = 'all';
    }
    stage.name(texts.format('explainTitle', { table: value.table }));
    stage.redraw(() => {
      stage.fill('head', head(value, texts));
      stage.fill('tools', this.tools(value, texts));
      stage.fill(
        'funnel',
        funnel(value.steps, this.measure, this.stop, this.selected, texts)
      );
      this.drawStep(value, texts);
      const hasFiles = value.splits.total > 0;
      stage.fill('splits', hasFiles ? splitBars(value, texts) : html``);
      stage.fill('columns', hasFiles ? columnBar(value, texts) : html``);
      stage.fill('advice', advice(value, texts));
    });
    this.disclosure.update(texts.format('asTable'), () =>
      explainTables(value, texts)
    );
  }

  private drawStep(value: ExplainValue, texts: Texts): void {
    const step = value.steps.find(each => each.name === this.selected);
    this.stage.fill(
      'step',
      step
        ? stepDetails(step, texts)
        : html`<p class="pwv-dim">${texts.format('explainStepHint')}</p>`
    );
  }

  private tools(value: ExplainValue, texts: Texts): Markup {
    const isPartial = value.column_use.files > 0 && isEstimated(value);
    return html`<div class="pwv-tools">
      <span
        class="pwv-choice"
        role="group"
        aria-label="${texts.format('explainMeasure')}"
      >
        ${MEASURES.map(
          measure =>
            html`<button
              type="button"
              data-measure="${measure}"
              data-focus="measure:${measure}"
              aria-pressed="${measure === this.measure ? 'true' : 'false'}"
            >
              ${texts.format(NAMES[measure])}
            </button>`
        )}
      </span>
      ${
        value.run === null &&
        html`<button type="button" data-focus="run">
          ${texts.format('explainRun')}
        </button>`
      }
      ${
        isPartial &&
        html`<button type="button" data-focus="all-footers">
          ${texts.format('explainAllFooters')}
        </button>`
      }
    </div>`;
  }

  private onClick(event: Event): void {
    const target = event.target as Element;
    const button = target.closest<HTMLElement>('button');
    const step = target.closest<HTMLElement>('[data-step]');
    if (button?.dataset.measure !== undefined && this.value) {
      this.measure = button.dataset.measure as ExplainMeasure;
      this.draw(this.value);
    } else if (button) {
      this.press(button.dataset.focus);
    } else if (step) {
      moveTo(step, { scroll: false });
      this.select(step.dataset.step ?? '');
    }
  }

  private press(name: string | undefined): void {
    if (name === 'more-files' && this.selected !== null) {
      this.host.emit({ kind: 'more-files', name: this.selected });
    } else if (name === 'run' || name === 'all-footers') {
      this.host.emit({ kind: name });
    }
  }

  private select(name: string): void {
    if (this.value === null) {
      return;
    }
    this.selected = this.stop = name;
    this.draw(this.value);
    this.host.emit({ kind: 'select-step', name });
  }

  private onKey(event: KeyboardEvent): void {
    const from = event.target as HTMLElement;
    const ring = ringOf(from);
    if (!ring || event.altKey || event.metaKey || event.ctrlKey) {
      return;
    }
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.select(from.dataset.step ?? '');
      return;
    }
    const steps = [...ring.querySelectorAll<HTMLElement>('[data-step]')];
    const to = stepFor(event.key, steps.indexOf(from), steps.length - 1);
    if (to !== null) {
      event.preventDefault();
      moveTo(steps[to]);
    }
  }
}

function stepFor(key: string, at: number, last: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, last);
    case 'ArrowUp':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}

function mostExcluding(steps: readonly StepValue[]): StepValue | null {
  return steps.reduce<StepValue | null>(
    (most, step) =>
      step.excluded_files > (most?.excluded_files ?? 0) ? step : most,
    null
  );
}

function isEstimated(value: ExplainValue): boolean {
  return value.steps.some(({ certainty }) => certainty === 'estimate');
}

function head(value: ExplainValue, texts: Texts): Markup {
  const { snapshot, where, run, steps, column_use: use } = value;
  const last = [...steps].reverse().find(step => step.size !== null);
  const summary = texts.format('explainSummary', {
    read: texts.count(use.files),
    all: texts.format('files', { n: steps[0].files ?? 0 }),
    size: texts.size(last?.size ?? '0'),
    allSize: texts.size(steps[0].size ?? '0')
  });
  return html`<h3>
      ${texts.format('explainTitle', { table: value.table })}${
        snapshot !== null &&
        html` <small>${texts.format('atSnapshot', { id: snapshot })}</small>`
      }
    </h3>
    ${where && html`<p><code>${texts.format('explainWhere', { where })}</code></p>`}
    ${
      snapshot === null
        ? html`<p class="pwv-empty">${texts.format('neverWritten')}</p>`
        : html`<p>${summary}</p>`
    }
    ${
      run &&
      html`<p>
        ${texts.format('explainRan', {
          rows: texts.format('rowsStored_append', { n: BigInt(run.rows) }),
          seconds: (run.millis / 1000).toFixed(2)
        })}
      </p>`
    }`;
}

function explainTables(value: ExplainValue, texts: Texts): Markup {
  const steps = value.steps.map(step => [
    step.title,
    leftText(step, texts),
    goneText(step, texts) || texts.format('none'),
    step.facts.map(factText).join('; ')
  ]);
  const splits = value.splits.splits.map(split => [
    splitName(split, texts),
    texts.format('files', { n: split.files }),
    texts.size(split.size),
    split.reason
  ]);
  const columns = value.column_use.columns.map(column => [
    column.name,
    texts.format(column.read ? 'explainYes' : 'explainNo'),
    column.reason,
    column.size === null
      ? texts.format('explainUnknown')
      : texts.size(column.size)
  ]);
  return html`${table(
    texts.format('explainSteps'),
    [
      texts.format('explainStep'),
      texts.format('explainLeftHead'),
      texts.format('explainGoneHead'),
      texts.format('explainFactHead')
    ],
    steps
  )}${
    splits.length > 0 &&
    table(
      texts.format('explainSplits'),
      [
        texts.format('explainSplit'),
        texts.format('filesField'),
        texts.format('size'),
        texts.format('explainHow')
      ],
      splits
    )
  }${table(
    texts.format('explainColumns'),
    [
      texts.format('explainColumn'),
      texts.format('explainIsRead'),
      texts.format('explainReason'),
      texts.format('size')
    ],
    columns
  )}`;
}
