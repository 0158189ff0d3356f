import type { CompactionValue } from '../../contract';
import { html, type Markup } from '../markup';
import type { Texts } from '../texts';
import type { Words } from '../words';

interface Rule {
  readonly letter: string;
  readonly word: keyof Words;
  /**
   * The color: `a` for rules that merge all runs, `b` for rules that merge some, `c` for new or deleted rows, `u` for
   * unknown.
   */
  readonly css: 'a' | 'b' | 'c' | 'u';
}

const RULES: Record<string, Rule | undefined> = {
  'run-count': { letter: 'N', word: 'ruleRunCount', css: 'b' },
  'size-ratio': { letter: 'R', word: 'ruleSizeRatio', css: 'b' },
  'size-amplification': {
    letter: 'A',
    word: 'ruleSizeAmplification',
    css: 'a'
  },
  full: { letter: 'F', word: 'ruleFull', css: 'a' },
  'force-up-level-0': { letter: 'U', word: 'ruleForceUp', css: 'c' },
  'early-full-interval': { letter: 'E', word: 'ruleEarlyFull', css: 'a' },
  'early-full-total-size': { letter: 'E', word: 'ruleEarlyFull', css: 'a' },
  'early-full-incremental-size': {
    letter: 'E',
    word: 'ruleEarlyFull',
    css: 'a'
  },
  'full-bin': { letter: 'B', word: 'ruleFullBin', css: 'b' },
  'file-count': { letter: 'C', word: 'ruleFileCount', css: 'b' },
  'deletion-vectors': { letter: 'D', word: 'ruleDeletionVectors', css: 'c' }
};
const UNKNOWN: Rule = { letter: '?', word: 'ruleUnknown', css: 'u' };

/** Return the name of a rule, or its id if this version does not know it. */
export function ruleName(rule: string, texts: Texts): string {
  const known = rule === '' ? UNKNOWN : RULES[rule];
  return known ? texts.format(known.word) : rule;
}

/** Return why a compaction ran, without the name of its rule, which is already shown before it. */
export function ruleSentence(
  { rule, text }: Pick<CompactionValue, 'rule' | 'text'>,
  texts: Texts
): string {
  const name = `${ruleName(rule, texts)}: `;
  if (!text.startsWith(name)) {
    return text;
  }
  return text.charAt(name.length).toUpperCase() + text.slice(name.length + 1);
}

/** Return the name of a rule with its letter, in the color of the rule. */
export function ruleBadge(rule: string, texts: Texts): Markup {
  const { letter, css } = RULES[rule] ?? UNKNOWN;
  return html`<span class="pwv-rule pwv-rule-${css}"
    ><i aria-hidden="true">${letter}</i>${ruleName(rule, texts)}</span
  >`;
}

/** Return `bucket 0`, or `dt=2026-11-01, bucket 0`. */
export function placeOf(
  { partition, bucket }: Pick<CompactionValue, 'partition' | 'bucket'>,
  texts: Texts
): string {
  const name = texts.format('bucketName', { id: String(bucket) });
  return partition ? `${partition}, ${name}` : name;
}
