import type { StepValue, SuggestionValue } from '../../contract';
import type { Texts } from '../texts';

/** What the bars of the funnel show. */
export type ExplainMeasure = 'files' | 'size' | 'rows';

export const MEASURES: readonly ExplainMeasure[] = ['files', 'size', 'rows'];

/** Return what a step leaves of a measure, null if it does not say. */
export function leftOf(
  step: StepValue,
  measure: ExplainMeasure
): bigint | null {
  const value = step[measure];
  return value === null ? null : BigInt(value);
}

/** Return what a step leaves out of a measure. */
export function goneOf(step: StepValue, measure: ExplainMeasure): bigint {
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
      return texts.say('files', { n: amount });
    case 'size':
      return texts.size(amount);
    default:
      return texts.say('rowsStored_append', { n: amount });
  }
}

/** Return a text with a word that says how its number is known. */
export function knownText(
  text: string,
  certainty: SuggestionValue['certainty'],
  texts: Texts
): string {
  switch (certainty) {
    case 'estimate':
      return texts.say('explainEstimate', { text });
    case 'at most':
      return texts.say('explainAtMost', { text });
    case 'at least':
      return texts.say('explainAtLeast', { text });
    default:
      return text;
  }
}

/** Return what a step leaves, in all measures that it knows. */
export function leftText(step: StepValue, texts: Texts): string {
  const parts = MEASURES.flatMap(measure => {
    const left = leftOf(step, measure);
    return left === null ? [] : [amountText(left, measure, texts)];
  });
  return parts.length
    ? knownText(parts.join(', '), step.certainty, texts)
    : texts.say('explainUnknown');
}

/** Return what a step leaves out, in the measures in which that is something; empty if it is nothing. */
export function goneText(step: StepValue, texts: Texts): string {
  return MEASURES.flatMap(measure => {
    const gone = goneOf(step, measure);
    return gone === BigInt(0) ? [] : [amountText(gone, measure, texts)];
  }).join(', ');
}

/** Return the share of an amount in percent of a whole, for the width of a bar. */
export function shareOf(part: bigint, whole: bigint): number {
  return whole > 0 ? (Number(part) / Number(whole)) * 100 : 0;
}
