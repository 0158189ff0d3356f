import * as React from 'react';
import type { ContentsValue, SummaryValue, VerdictValue } from '../contract';
import { useStore } from '../react';
import { sizeText } from '../state/texts';
import {
  conditionText,
  figuresOf,
  rowsText,
  SIGNS,
  storedText
} from '../views/summary/headline';
import type { PageProps } from './context';
import { COUNT, ESTIMATE, partOf, SUMMARY, type Part } from './parts';
import { viewTexts } from './words';

interface HeadlineProps extends PageProps {
  readonly value: SummaryValue;
  readonly contents: ContentsValue;
}

/** The number of rows and the other numbers that describe the size of a table. */
export function Headline(props: HeadlineProps): React.ReactElement {
  const { value, contents, trans, bytes } = props;
  const figures = figuresOf(value, contents, viewTexts(trans), size =>
    sizeText(size, bytes())
  );
  return (
    <dl className="pw-figures">
      <Rows {...props} />
      {figures.map(({ name, text }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The number of rows that reads return: exact if it is known, else an estimate, else counted on demand. */
function Rows({ model, value, contents, trans }: HeadlineProps) {
  const state = useStore(model.store);
  const texts = viewTexts(trans);
  const counted = partOf(state, COUNT);
  const known = contents.count ?? counted.value;
  const estimate = partOf(state, ESTIMATE);
  const shown = known ?? estimate.value;
  const isRead = partOf(state, SUMMARY).status === 'ready';
  React.useEffect(() => {
    if (isRead && contents.count === null) {
      model.ensure(ESTIMATE as Part);
    }
  }, [isRead, contents, estimate.status]);
  return (
    <div className="pw-rows-figure">
      <dt>{texts.format('rowsField')}</dt>
      <dd>{rowsText(shown, texts)}</dd>
      <dd className="pw-rows-stored">
        {storedText(shown, value, contents, texts)}
        {!known && (
          <button
            type="button"
            className="pw-link-button"
            disabled={counted.status === 'loading'}
            onClick={() => model.reload(COUNT as Part)}
          >
            {counted.status === 'loading'
              ? trans.__('Counting…')
              : texts.format('countExactly')}
          </button>
        )}
        {counted.error && <span role="alert">{counted.error.message}</span>}
      </dd>
    </div>
  );
}

/** The condition of the table in words, with a color and a sign. */
export function Verdict({
  verdict,
  trans
}: {
  readonly verdict: VerdictValue;
  readonly trans: PageProps['trans'];
}): React.ReactElement {
  const { condition, text } = verdict;
  return (
    <p className="pw-verdict" data-condition={condition}>
      <span className="pw-verdict-sign" aria-hidden="true">
        {SIGNS[condition]}
      </span>
      <span>
        <strong>{conditionText(verdict, viewTexts(trans))}.</strong> {text}
      </span>
    </p>
  );
}
