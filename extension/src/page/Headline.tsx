import * as React from 'react';
import type {
  ContentsValue,
  RowCountValue,
  SummaryValue,
  VerdictValue
} from '../contract';
import { useStore } from '../react';
import { countText, ratioText, sizeText } from '../state/texts';
import type { PageProps } from './context';
import { COUNT, ESTIMATE, partOf, SUMMARY, type Part } from './parts';

interface HeadlineProps extends PageProps {
  readonly value: SummaryValue;
  readonly contents: ContentsValue;
}

/** The number of rows and the other numbers that describe the size of a table. */
export function Headline(props: HeadlineProps): React.ReactElement {
  const { value, contents, trans, bytes } = props;
  const keyed = value.kind === 'primary-key';
  const figures: [string, string][] = [
    [trans.__('Files'), countText(contents.files)],
    [trans.__('Size'), sizeText(contents.size, bytes())],
    value.partition_keys.length > 0
      ? [trans.__('Partitions'), countText(contents.partitions)]
      : [trans.__('Partitions'), trans.__('unpartitioned')],
    ...(keyed
      ? ([
          [trans.__('Buckets'), countText(contents.buckets)],
          [trans.__('Max sorted runs per bucket'), countText(contents.runs)]
        ] as [string, string][])
      : [])
  ];
  return (
    <dl className="pw-figures">
      <Rows {...props} />
      {figures.map(([title, text]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The number of rows as reads return them: exact where it is known, else estimated, else counted on demand. */
function Rows({ model, value, contents, trans }: HeadlineProps) {
  const state = useStore(model.store);
  const counted = partOf(state, COUNT);
  const known = contents.count ?? counted.value;
  const shown = known ?? partOf(state, ESTIMATE).value;
  const isRead = partOf(state, SUMMARY).status === 'ready';
  React.useEffect(() => {
    if (isRead && contents.count === null) {
      model.ensure(ESTIMATE as Part);
    }
  }, [isRead, contents]);
  return (
    <div className="pw-rows-figure">
      <dt>{trans.__('Rows')}</dt>
      <dd>
        {shown
          ? shown.exact
            ? countText(shown.rows)
            : trans.__('about %1', countText(shown.rows))
          : '…'}
      </dd>
      <dd className="pw-rows-stored">
        {storedText(shown, contents, value.kind, trans)}
        {!known && (
          <button
            type="button"
            className="pw-link-button"
            disabled={counted.status === 'loading'}
            onClick={() => model.reload(COUNT as Part)}
          >
            {counted.status === 'loading'
              ? trans.__('Counting …')
              : trans.__('Count exactly')}
          </button>
        )}
        {counted.error && <span role="alert">{counted.error.message}</span>}
      </dd>
    </div>
  );
}

function storedText(
  shown: RowCountValue | null,
  { stored_rows: stored }: ContentsValue,
  kind: SummaryValue['kind'],
  trans: PageProps['trans']
): string {
  if (shown?.rows === stored) {
    // An append table merges no rows.
    return kind === 'append' ? '' : trans.__('all stored once');
  }
  if (!shown || shown.rows === '0') {
    return trans.__('%1 stored', countText(stored));
  }
  return trans.__(
    '%1 stored, %2 ×',
    countText(stored),
    ratioText(Number(stored) / Number(shown.rows))
  );
}

const SIGNS: Record<VerdictValue['condition'], string> = {
  good: '✓',
  fair: '!',
  poor: '✕'
};

/** The condition of the table in words, with a color and a sign. */
export function Verdict({
  verdict,
  trans
}: {
  readonly verdict: VerdictValue;
  readonly trans: PageProps['trans'];
}): React.ReactElement {
  const names = {
    good: trans.__('Good condition'),
    fair: trans.__('Needs attention'),
    poor: trans.__('Poor condition')
  };
  const { condition, text } = verdict;
  return (
    <p className="pw-verdict" data-condition={condition}>
      <span className="pw-verdict-sign" aria-hidden="true">
        {SIGNS[condition]}
      </span>
      <span>
        <strong>{names[condition]}.</strong> {text}
      </span>
    </p>
  );
}
