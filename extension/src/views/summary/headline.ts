import type {
  ContentsValue,
  RowCountValue,
  SummaryValue,
  VerdictValue
} from '../../contract';
import type { Texts } from '../texts';

/** A named figure about a table, as table pages and notebooks show it. */
export interface Figure {
  readonly name: string;
  readonly text: string;
}

/** The sign of each condition, for readers who cannot see its color. */
export const SIGNS: Record<VerdictValue['condition'], string> = {
  good: '✓',
  fair: '!',
  poor: '✕'
};

/** Return the number of rows that reads return, with `about` if it is an estimate. */
export function rowsText(count: RowCountValue | null, texts: Texts): string {
  if (count === null) {
    return '…';
  }
  const rows = texts.count(count.rows);
  return count.exact ? rows : texts.format('about', { rows });
}

/** Return how many rows the files store, and the ratio of that number to the rows that reads return. */
export function storedText(
  count: RowCountValue | null,
  { kind }: SummaryValue,
  { stored_rows: stored }: ContentsValue,
  texts: Texts
): string {
  if (count?.rows === stored) {
    // An append table merges no rows.
    return kind === 'append' ? '' : texts.format('storedOnce');
  }
  const rows = texts.count(stored);
  if (count === null || count.rows === '0') {
    return texts.format('stored', { rows });
  }
  const ratio = texts.ratio(Number(stored) / Number(count.rows));
  return texts.format('storedTimes', { rows, ratio });
}

/** Return the other figures that describe the size of a table. */
export function figuresOf(
  { kind, partition_keys: partitions }: SummaryValue,
  contents: ContentsValue,
  texts: Texts,
  size: (bytes: string) => string = bytes => texts.size(bytes)
): Figure[] {
  const keyed = kind === 'primary-key';
  return [
    { name: texts.format('filesField'), text: texts.count(contents.files) },
    { name: texts.format('size'), text: size(contents.size) },
    {
      name: texts.format('partitions'),
      text:
        partitions.length > 0
          ? texts.count(contents.partitions)
          : texts.format('unpartitioned')
    },
    ...(keyed
      ? [
          {
            name: texts.format('bucketsField'),
            text: texts.count(contents.buckets)
          },
          {
            name: texts.format('mostRunsField'),
            text: texts.count(contents.runs)
          }
        ]
      : [])
  ];
}

/** Return the condition of a table in two words. */
export function conditionText(
  { condition }: VerdictValue,
  texts: Texts
): string {
  return texts.format(`${condition}Condition`);
}

/** Return the details that identify the version and its table, omitting unknown ones. */
export function detailsOf(summary: SummaryValue, texts: Texts): Figure[] {
  const { snapshot, commit_kind: kind, time_millis: time } = summary;
  const { earliest_snapshot: earliest, latest_snapshot: latest } = summary;
  const version =
    snapshot === null
      ? texts.format('none')
      : kind
        ? `${snapshot} (${kind})`
        : snapshot;
  const details: [string, string | null][] = [
    [texts.format('snapshot'), version],
    [texts.format('lastCommit'), time === null ? null : texts.zoned(time)],
    [
      texts.format('retained'),
      earliest && latest ? `${earliest}–${latest}` : null
    ],
    [texts.format('schema'), summary.schema_id],
    [texts.format('primaryKey'), summary.primary_key.join(', ') || null],
    [
      texts.format('partitionedBy'),
      summary.partition_keys.join(', ') || texts.format('unpartitioned')
    ],
    [texts.format('location'), summary.location],
    [texts.format('comment'), summary.comment]
  ];
  return details.flatMap(([name, text]) =>
    text === null ? [] : [{ name, text }]
  );
}
