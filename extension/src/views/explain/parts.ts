import { choosable } from '../choice';
import type {
  ExplainValue,
  FactValue,
  SplitValue,
  StepValue
} from '../../contract';
import { html, type Markup } from '../markup';
import { plainTable } from '../tables';
import { sum, type Texts } from '../texts';
import {
  amountText,
  excluded,
  goneText,
  knownText,
  remaining,
  leftText,
  shareOf,
  type ExplainMeasure
} from './numbers';

const MOST_NAMES = 12;

/** Return a bar for each step, as long as what is left after it. */
export function funnel(
  steps: readonly StepValue[],
  measure: ExplainMeasure,
  stop: string,
  selected: string | null,
  texts: Texts
): Markup {
  const whole = remaining(steps[0], measure) ?? BigInt(0);
  return html`<div
    class="pwv-funnel"
    role="listbox"
    data-ring="funnel"
    aria-label="${texts.format('explainSteps')}"
  >
    ${steps.map(step =>
      stepRow(
        step,
        measure,
        whole,
        step.name === stop,
        step.name === selected,
        texts
      )
    )}
  </div>`;
}

function stepRow(
  step: StepValue,
  measure: ExplainMeasure,
  whole: bigint,
  isTabStop: boolean,
  isSelected: boolean,
  texts: Texts
): Markup {
  const left = remaining(step, measure);
  const gone = excluded(step, measure);
  const rows = remaining(step, 'rows');
  const numbers =
    left !== null
      ? knownText(amountText(left, measure, texts), step.certainty, texts)
      : rows === null
        ? '—'
        : amountText(rows, 'rows', texts);
  const label = texts.format('explainLeft', {
    title: step.title,
    left: leftText(step, texts),
    gone: goneText(step, texts) || texts.format('none')
  });
  return html`<div
    class="pwv-step"
    role="option"
    data-step="${step.name}"
    ${choosable({ focus: `step:${step.name}`, isTabStop, isSelected, label })}
  >
    <span class="pwv-step-name">${step.title}</span>
    <span class="pwv-step-track"
      >${
        left !== null &&
        left > 0 &&
        html`<span
          class="pwv-step-left"
          style="width: ${shareOf(left, whole)}%"
        ></span>`
      }${
        gone > 0 &&
        html`<span
          class="pwv-step-gone"
          style="width: ${shareOf(gone, whole)}%"
        ></span>`
      }</span
    >
    <span class="pwv-step-numbers"
      >${numbers}${
        gone > 0 &&
        html` <small
          >${texts.format('explainGone', { text: amountText(gone, measure, texts) })}</small
        >`
      }</span
    >
  </div>`;
}

/** Return the facts and the files of the chosen step. */
export function stepDetails(step: StepValue, texts: Texts): Markup {
  const gone = goneText(step, texts);
  const n = step.excluded_files;
  return html`<div class="pwv-facts-card">
    <h4>${step.title}</h4>
    <p class="pwv-dim">
      ${gone ? html`${texts.format('explainGone', { text: gone })}: ${step.reason}.` : texts.format('explainNothingGone')}
    </p>
    ${
      step.facts.length > 0 &&
      html`<ul>
        ${step.facts.map(
          fact =>
            html`<li>
              ${texts.format('explainFact', {
                fact: factText(fact),
                files: texts.format('files', { n: fact.files }),
                size: texts.size(fact.size)
              })}
            </li>`
        )}
        ${step.more_facts > 0 && html`<li>${texts.format('explainMoreFacts', { n: step.more_facts })}</li>`}
      </ul>`
    }
    ${
      step.listed.length > 0 &&
      html`<div
          class="pwv-scroll"
          tabindex="0"
          role="region"
          aria-label="${texts.format('explainFile')}"
        >
          ${fileTable(step, texts)}
        </div>
        ${
          step.listed.length < n &&
          html`<button type="button" data-focus="more-files">
            ${texts.format('explainMoreFiles')}
          </button>`
        }`
    }
  </div>`;
}

export function factText({ condition, detail }: FactValue): string {
  return condition && detail ? `${condition}: ${detail}` : condition || detail;
}

function fileTable(step: StepValue, texts: Texts): Markup {
  const hasPartitions = step.listed.some(file => file.partition !== '');
  const caption = texts.format('explainListed', {
    shown: texts.count(step.listed.length),
    n: step.excluded_files
  });
  const heads = [
    texts.format('explainFile'),
    ...(hasPartitions ? [texts.format('partition')] : []),
    texts.format('bucket'),
    texts.format('rowsField'),
    texts.format('size'),
    texts.format('explainFactHead')
  ];
  const rows = step.listed.map(file => [
    file.name,
    ...(hasPartitions ? [file.partition] : []),
    String(file.bucket),
    texts.count(file.rows),
    texts.size(file.size),
    file.fact
  ]);
  return plainTable(caption, heads, rows);
}

/** Return the splits, each as a bar of the parts that are read without merging and the runs that are merged. */
export function splitBars(value: ExplainValue, texts: Texts): Markup {
  const { splits, total, held_files: held } = value.splits;
  const whole = splits.reduce(
    (most, { size }) => (BigInt(size) > most ? BigInt(size) : most),
    BigInt(0)
  );
  return html`<h4>${texts.format('explainSplits')}</h4>
    <p class="pwv-legend">
      <span
        ><i class="pwv-read-swatch pwv-read-raw"></i
        >${texts.format('explainRaw')}</span
      >
      <span
        ><i class="pwv-read-swatch pwv-read-merged"></i
        >${texts.format('explainMerged')}</span
      >
      ${
        splits.length < total &&
        html`<span
          >${texts.format('explainSplitsMore', { shown: texts.count(splits.length), n: total })}</span
        >`
      }
    </p>
    <div
      class="pwv-splits"
      role="list"
      aria-label="${texts.format('explainSplits')}"
    >
      ${splits.map(split => splitRow(split, whole, texts))}
    </div>
    ${held > 0 && html`<p class="pwv-dim">${texts.format('explainHeld', { n: held })}</p>`}`;
}

export function splitName(split: SplitValue, texts: Texts): string {
  const bucket = texts.format('bucketName', { id: String(split.bucket) });
  return split.partition ? `${split.partition}, ${bucket}` : bucket;
}

function splitRow(split: SplitValue, whole: bigint, texts: Texts): Markup {
  const files = (n: number) => texts.format('files', { n });
  const runs = split.sections.flatMap(({ runs, keys }) =>
    runs.map(run => ({ ...run, keys }))
  );
  const name = splitName(split, texts);
  const numbers = `${files(split.files)}, ${texts.size(split.size)}`;
  return html`<div
    class="pwv-split"
    role="listitem"
    aria-label="${name}: ${numbers}; ${split.reason}"
  >
    <span class="pwv-step-name" title="${name}">${name}</span>
    <span class="pwv-step-track"
      >${
        split.raw_files > 0 &&
        html`<span
          class="pwv-read-raw"
          style="width: ${shareOf(BigInt(split.raw_size), whole)}%"
          title="${texts.format('explainRawPart', { files: files(split.raw_files), size: texts.size(split.raw_size) })}"
          >R</span
        >`
      }${runs.map(
        run =>
          html`<span
            class="pwv-read-merged"
            style="width: ${shareOf(BigInt(run.size), whole)}%"
            title="${texts.format('explainRunPart', {
              level: run.level,
              keys: run.keys,
              files: files(run.files),
              size: texts.size(run.size)
            })}"
            >M</span
          >`
      )}</span
    >
    <span class="pwv-step-numbers"
      >${numbers}<small>${split.reason}</small></span
    >
  </div>`;
}

/** Return how many columns are read, and their share of the bytes. */
export function columnBar(value: ExplainValue, texts: Texts): Markup {
  const { columns, read_size: size, all_size: all, note } = value.column_use;
  const read = columns.filter(column => column.read);
  const names = read.slice(0, MOST_NAMES).map(column => column.name);
  const more = read.length > names.length ? ', …' : '';
  const counts = { read: texts.count(read.length), n: columns.length };
  const isKnown = sum([all]) > 0;
  const line = isKnown
    ? texts.format('explainColumnsRead', {
        ...counts,
        size: texts.size(size),
        all: texts.size(all)
      })
    : texts.format('explainColumnsUnknown', counts);
  return html`<h4>${texts.format('explainColumns')}</h4>
    ${
      isKnown &&
      html`<div
        class="pwv-step-track pwv-column-track"
        role="img"
        aria-label="${line}"
      >
        <span
          class="pwv-step-left"
          style="width: ${shareOf(BigInt(size), BigInt(all))}%"
        ></span>
      </div>`
    }
    <p>
      ${line}.
      ${texts.format('explainColumnNames', { names: names.join(', ') + more })}
    </p>
    ${note && html`<p class="pwv-dim">${note}</p>`}`;
}

/** Return the suggestions, or a note that there are none. */
export function advice(value: ExplainValue, texts: Texts): Markup {
  const { suggestions } = value;
  return html`<h4>${texts.format('explainAdvice')}</h4>
    ${
      suggestions.length === 0
        ? html`<p class="pwv-dim">${texts.format('explainNoAdvice')}</p>`
        : html`<ul class="pwv-advice">
            ${suggestions.map(each => {
              const parts = [
                ...(each.files > 0
                  ? [texts.format('files', { n: each.files })]
                  : []),
                ...(BigInt(each.size) > 0 ? [texts.size(each.size)] : [])
              ].join(', ');
              const text = knownText(parts, each.certainty, texts);
              return html`<li>
                <b>${each.title}</b>
                <span class="pwv-saves"
                  >${texts.format('explainSaves', { text })}</span
                >
                <p>${each.reason}</p>
                <pre
                  tabindex="0"
                ><code>${each.statements.map(each => `${each};`).join('\n')}</code></pre>
              </li>`;
            })}
          </ul>`
    }`;
}
