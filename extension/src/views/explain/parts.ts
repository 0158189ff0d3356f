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
  goneOf,
  goneText,
  knownText,
  leftOf,
  leftText,
  shareOf,
  type ExplainMeasure
} from './numbers';

const MOST_NAMES = 12;

/** Return the bars of the steps, each as long as what it leaves. */
export function funnel(
  steps: readonly StepValue[],
  measure: ExplainMeasure,
  stop: string,
  selected: string | null,
  texts: Texts
): Markup {
  const whole = leftOf(steps[0], measure) ?? BigInt(0);
  return html`<div
    class="pwv-funnel"
    role="listbox"
    data-ring="funnel"
    aria-label="${texts.say('explainSteps')}"
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
  isStop: boolean,
  isSelected: boolean,
  texts: Texts
): Markup {
  const left = leftOf(step, measure);
  const gone = goneOf(step, measure);
  const rows = leftOf(step, 'rows');
  const numbers =
    left !== null
      ? knownText(amountText(left, measure, texts), step.certainty, texts)
      : rows === null
        ? '—'
        : amountText(rows, 'rows', texts);
  const label = texts.say('explainLeft', {
    title: step.title,
    left: leftText(step, texts),
    gone: goneText(step, texts) || texts.say('none')
  });
  return html`<div
    class="pwv-step"
    role="option"
    data-step="${step.name}"
    ${choosable({ focus: `step:${step.name}`, isStop, isSelected, label })}
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
          >${texts.say('explainGone', { text: amountText(gone, measure, texts) })}</small
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
      ${gone ? html`${texts.say('explainGone', { text: gone })}: ${step.reason}.` : texts.say('explainNothingGone')}
    </p>
    ${
      step.facts.length > 0 &&
      html`<ul>
        ${step.facts.map(
          fact =>
            html`<li>
              ${texts.say('explainFact', {
                fact: factText(fact),
                files: texts.say('files', { n: fact.files }),
                size: texts.size(fact.size)
              })}
            </li>`
        )}
        ${step.more_facts > 0 && html`<li>${texts.say('explainMoreFacts', { n: step.more_facts })}</li>`}
      </ul>`
    }
    ${
      step.listed.length > 0 &&
      html`<div
          class="pwv-scroll"
          tabindex="0"
          role="region"
          aria-label="${texts.say('explainFile')}"
        >
          ${fileTable(step, texts)}
        </div>
        ${
          step.listed.length < n &&
          html`<button type="button" data-focus="more-files">
            ${texts.say('explainMoreFiles')}
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
  const caption = texts.say('explainListed', {
    shown: texts.count(step.listed.length),
    n: step.excluded_files
  });
  const heads = [
    texts.say('explainFile'),
    ...(hasPartitions ? [texts.say('partition')] : []),
    texts.say('bucket'),
    texts.say('rowsField'),
    texts.say('size'),
    texts.say('explainFactHead')
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

/** Return the splits, each as a bar of the parts that are read as they are and the runs that are merged. */
export function splitBars(value: ExplainValue, texts: Texts): Markup {
  const { splits, total, held_files: held } = value.splits;
  const whole = splits.reduce(
    (most, { size }) => (BigInt(size) > most ? BigInt(size) : most),
    BigInt(0)
  );
  return html`<h4>${texts.say('explainSplits')}</h4>
    <p class="pwv-legend">
      <span
        ><i class="pwv-read-swatch pwv-read-raw"></i
        >${texts.say('explainRaw')}</span
      >
      <span
        ><i class="pwv-read-swatch pwv-read-merged"></i
        >${texts.say('explainMerged')}</span
      >
      ${
        splits.length < total &&
        html`<span
          >${texts.say('explainSplitsMore', { shown: texts.count(splits.length), n: total })}</span
        >`
      }
    </p>
    <div
      class="pwv-splits"
      role="list"
      aria-label="${texts.say('explainSplits')}"
    >
      ${splits.map(split => splitRow(split, whole, texts))}
    </div>
    ${held > 0 && html`<p class="pwv-dim">${texts.say('explainHeld', { n: held })}</p>`}`;
}

export function splitName(split: SplitValue, texts: Texts): string {
  const bucket = texts.say('bucketName', { id: String(split.bucket) });
  return split.partition ? `${split.partition}, ${bucket}` : bucket;
}

function splitRow(split: SplitValue, whole: bigint, texts: Texts): Markup {
  const files = (n: number) => texts.say('files', { n });
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
          title="${texts.say('explainRawPart', { files: files(split.raw_files), size: texts.size(split.raw_size) })}"
          >R</span
        >`
      }${runs.map(
        run =>
          html`<span
            class="pwv-read-merged"
            style="width: ${shareOf(BigInt(run.size), whole)}%"
            title="${texts.say('explainRunPart', {
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
    ? texts.say('explainColumnsRead', {
        ...counts,
        size: texts.size(size),
        all: texts.size(all)
      })
    : texts.say('explainColumnsUnknown', counts);
  return html`<h4>${texts.say('explainColumns')}</h4>
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
      ${texts.say('explainColumnNames', { names: names.join(', ') + more })}
    </p>
    ${note && html`<p class="pwv-dim">${note}</p>`}`;
}

/** Return the suggestions, or that there is none. */
export function advice(value: ExplainValue, texts: Texts): Markup {
  const { suggestions } = value;
  return html`<h4>${texts.say('explainAdvice')}</h4>
    ${
      suggestions.length === 0
        ? html`<p class="pwv-dim">${texts.say('explainNoAdvice')}</p>`
        : html`<ul class="pwv-advice">
            ${suggestions.map(each => {
              const parts = [
                ...(each.files > 0
                  ? [texts.say('files', { n: each.files })]
                  : []),
                ...(BigInt(each.size) > 0 ? [texts.size(each.size)] : [])
              ].join(', ');
              const text = knownText(parts, each.certainty, texts);
              return html`<li>
                <b>${each.title}</b>
                <span class="pwv-saves"
                  >${texts.say('explainSaves', { text })}</span
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
