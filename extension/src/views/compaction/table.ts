import type { CompactionsValue } from '../../contract';
import type { Markup } from '../markup';
import { table } from '../tables';
import type { Texts } from '../texts';
import type { Words } from '../words';
import { placeOf, ruleName } from './rules';

/** Return the compactions as a table. */
export function compactionsTable(
  { compactions }: CompactionsValue,
  texts: Texts
): Markup {
  const heads: (keyof Words)[] = [
    'snapshot',
    'time',
    'where',
    'rule',
    'inputLevels',
    'storyRead',
    'storyWrote',
    'storyMoved',
    'storyDropped',
    'why'
  ];
  const rows = compactions.map(each => [
    each.snapshot,
    texts.time(each.time_millis),
    placeOf(each, texts),
    ruleName(each.rule, texts),
    texts.format('intoLevel', {
      from: each.input_levels.map(level => `L${level}`).join(', '),
      to: String(each.output_level)
    }),
    `${texts.format('files', { n: each.files_read })}, ${texts.size(each.bytes_read)}`,
    `${texts.format('files', { n: each.files_written })}, ${texts.size(each.bytes_written)}`,
    texts.count(String(each.files_moved)),
    texts.count(each.rows_dropped),
    each.text
  ]);
  return table(
    texts.format('compactionList'),
    heads.map(word => texts.format(word)),
    rows
  );
}
