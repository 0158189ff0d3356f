import type { StepValue, SuggestionValue } from '../../contract';
import type { Texts } from '../texts';

/** The measure that the bars of the funnel show. */
export type ExplainMeasure = 'files' | 'size' | 'rows';

export const MEASURES: readonly ExplainMeasure[] = ['files', 'size', 'rows'];

/** Return how much of a measure is left after a step, or null if the step does not record it. */
export function remaining(
  step: StepValue,
  measure: ExplainMeasure
): bigint | null {
  const value = step[measure];
  return value === null ? null : BigInt(value);
}

/** Return how much of a measure a step excludes. */
export function excluded(step: StepValue, measure: ExplainMeasure): bigint {
  return BigInt(step[`excluded_${measure}`]);
}

/** Return an amount as text: `3 files`, `1.2 KiB`, `40 rows`. */
export function amountText(
  amount: bigint,
  measure: ExplainMeasure,
  texts: Texts
): string {
  switch (measure) {
    case 'files':
      return texts.format('files', { n: amount });
    case 'size':
      return texts.size(amount);
    default:
      return texts.format('rowsStored_append', { n: amount });
  }
}

/** Return a text with a word for the certainty of its number. */
export function knownText(
  text: string,
  certainty: SuggestionValue['certainty'],
  texts: Texts
): string {
  switch (certainty) {
    case 'estimate':
      return texts.format('explainEstimate', { text });
    case 'at most':
      return texts.format('explainAtMost', { text });
    case 'at least':
      return texts.format('explainAtLeast', { text });
    default:
      return text;
  }
}

/** Return what is left after a step, in all measures that it records. */
export function leftText(step: StepValue, texts: Texts): string {
  const parts = MEASURES.flatMap(measure => {
    const left = remaining(step, measure);
    return left === null ? [] : [amountText(left, measure, texts)];
  });
  return parts.length
    ? knownText(parts.join(', '), step.certainty, texts)
    : texts.format('explainUnknown');
}

/** Return what a step excludes, in all measures that are not zero; empty if it excludes nothing. */
export function goneText(step: StepValue, texts: Texts): string {
  return MEASURES.flatMap(measure => {
    const gone = excluded(step, measure);
    return gone === BigInt(0) ? [] : [amountText(gone, measure, texts)];
  }).join(', ');
}

/** Return a part as a percentage of the whole, for the width of a bar. */
export function shareOf(part: bigint, whole: bigint): number {
  return whole > 0 ? (Number(part) / Number(whole)) * 100 : 0;
}
