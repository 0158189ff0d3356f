import { describe, expect, it } from 'vitest';
import { ruleSentence } from '../../src/views/compaction/rules';
import { Texts } from '../../src/views/texts';

const texts = new Texts();

describe('why a compaction ran', () => {
  it('does not repeat the name of the rule', () => {
    const text = 'Size amplification: newer runs exceed 200% of the oldest.';
    expect(ruleSentence({ rule: 'size-amplification', text }, texts)).toBe(
      'Newer runs exceed 200% of the oldest.'
    );
  });

  it('is the whole sentence if that begins with something else', () => {
    const text = 'The number of sorted runs is 6, over the trigger of 5.';
    expect(ruleSentence({ rule: 'run-count', text }, texts)).toBe(text);
  });
});
