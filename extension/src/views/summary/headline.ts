import type {
  ContentsValue,
  RowCountValue,
  SummaryValue,
  VerdictValue
} from '../../contract';
import type { Texts } from '../texts';

/** A number about a table with its name, as table pages and notebooks show it. */
export interface Figure {
  readonly name: string;
  readonly text: string;
}

/** The sign of each condition, for readers who do not see its color. */
export const SIGNS: Record<VerdictValue['condition'], string> = {
  good: '✓',
  fair: '!',
  poor: '✕'
};

/** Return the number of rows as reads return them, `about` if it is an estimate. */
export function rowsText(count: RowCountValue | null, texts: Texts): string {
  if (count === null) {
    return '…';
  }
  const rows = texts.count(count.rows);
  return count.exact ? rows : texts.say('about', { rows });
}

/** Return how many rows the files store, and how many times as many that is as reads return. */
export function storedText(
  count: RowCountValue | null,
  { kind }: SummaryValue,
  { stored_rows: stored }: ContentsValue,
  texts: Texts
): string {
  if (count?.rows === stored) {
    // An append table merges no rows.
    return kind === 'append' ? '' : texts.say('storedOnce');
  }
  const rows = texts.count(stored);
  if (count === null || count.rows === '0') {
    return texts.say('stored', { rows });
  }
  const ratio = texts.ratio(Number(stored) / Number(count.rows));
  return texts.say('storedTimes', { rows, ratio });
}

/** Return the other numbers that describe the size of a table. */
export function figuresOf(
  { kind, partition_keys: partitions }: SummaryValue,
  contents: ContentsValue,
  texts: Texts,
  size: (bytes: string) => string = bytes => texts.size(bytes)
): Figure[] {
  const keyed = kind === 'primary-key';
  return [
    { name: texts.say('filesField'), text: texts.count(contents.files) },
    { name: texts.say('size'), text: size(contents.size) },
    {
      name: texts.say('partitions'),
      text:
        partitions.length > 0
          ? texts.count(contents.partitions)
          : texts.say('unpartitioned')
    },
    ...(keyed
      ? [
          {
            name: texts.say('bucketsField'),
            text: texts.count(contents.buckets)
          },
          { name: texts.say('mostRunsField'), text: texts.count(contents.runs) }
        ]
      : [])
  ];
}

/** Return the condition of a table in two words. */
export function conditionText(
  { condition }: VerdictValue,
  texts: Texts
): string {
  return texts.say(`${condition}Condition`);
}

/** Return what identifies the version and its table, without what is not known. */
export function detailsOf(summary: SummaryValue, texts: Texts): Figure[] {
  const { snapshot, commit_kind: kind, time_millis: time } = summary;
  const { earliest_snapshot: earliest, latest_snapshot: latest } = summary;
  const version =
    snapshot === null
      ? texts.say('none')
      : kind
        ? `${snapshot} (${kind})`
        : snapshot;
  const details: [string, string | null][] = [
    [texts.say('snapshot'), version],
    [texts.say('lastCommit'), time === null ? null : texts.zoned(time)],
    [
      texts.say('retained'),
      earliest && latest ? `${earliest}–${latest}` : null
    ],
    [texts.say('schema'), summary.schema_id],
    [texts.say('primaryKey'), summary.primary_key.join(', ') || null],
    [
      texts.say('partitionedBy'),
      summary.partition_keys.join(', ') || texts.say('unpartitioned')
    ],
    [texts.say('location'), summary.location],
    [texts.say('comment'), summary.comment]
  ];
  return details.flatMap(([name, text]) =>
    text === null ? [] : [{ name, text }]
  );
}
