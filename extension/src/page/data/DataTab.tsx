import * as React from 'react';
import { useStore } from '../../react';
import { isLost } from '../../state/loaded';
import type { PageProps } from '../context';
import { Data } from './Data';
import { partOf, SUMMARY } from '../parts';
import { Failure, NeverWritten, Waiting } from '../states';

/** The rows of the version, using the full height of the page. */
export function DataTab(props: PageProps): React.ReactElement {
  const { model, trans } = props;
  const summary = partOf(useStore(model.store), SUMMARY);
  const { value, error } = summary;
  if (isLost(summary)) {
    return <Failure {...props} error={error} />;
  }
  if (!value) {
    return <Waiting trans={trans} />;
  }
  if (value.damage) {
    return <Failure {...props} error={value.damage} />;
  }
  return value.snapshot === null ? (
    <NeverWritten trans={trans} />
  ) : (
    <div className="pw-data-tab">
      <Data {...props} />
    </div>
  );
}
