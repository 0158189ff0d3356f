import type { TranslationBundle } from '@jupyterlab/translation';
import { refreshIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { SummaryValue } from '../contract';
import { IconButton } from '../IconButton';
import { lockIcon } from '../icons';
import { useStore } from '../react';
import { fullName } from '../state/names';
import { LATEST } from '../state/version';
import type { PageProps } from './context';
import { partOf, SUMMARY } from './parts';
import { VersionSwitch } from './VersionSwitch';
import { viewWords } from './words';

export function Header(props: PageProps): React.ReactElement {
  const { model, trans } = props;
  const state = useStore(model.store);
  const summary = partOf(state, SUMMARY);
  const { catalog } = model.name;
  return (
    <div className="pw-header">
      <div className="pw-header-line">
        <h2 className="pw-header-name">{fullName(model.name)}</h2>
        <IconButton
          icon={refreshIcon}
          label={trans.__('Refresh')}
          onClick={() => model.refresh()}
        />
        <NewerSnapshot {...props} />
        <VersionSwitch {...props} />
      </div>
      <p className="pw-header-facts">
        <span>{trans.__('Catalog %1', catalog)}</span>
        {state.readOnly && (
          <span
            className="pw-read-only"
            title={viewWords(trans).readOnlyCatalog}
          >
            <lockIcon.react tag="span" aria-hidden="true" />
            {trans.__('Read-only')}
          </span>
        )}
        {summary.value && <Facts value={summary.value} trans={trans} />}
      </p>
    </div>
  );
}

function Facts({
  value,
  trans
}: {
  value: SummaryValue;
  trans: TranslationBundle;
}): React.ReactElement {
  const { kind, primary_key: keys, partition_keys: partitions } = value;
  return (
    <>
      <span>
        {kind === 'primary-key'
          ? trans.__('Primary-key table')
          : trans.__('Append table')}
      </span>
      {keys.length > 0 && <span>{trans.__('Key %1', keys.join(', '))}</span>}
      {partitions.length > 0 && (
        <span>{trans.__('Partitioned by %1', partitions.join(', '))}</span>
      )}
    </>
  );
}

/** Shows that a newer snapshot exists when the page shows an older one. */
function NewerSnapshot({ model, trans }: PageProps) {
  const state = useStore(model.store);
  const { newest, version } = state;
  const summary = partOf(state, SUMMARY);
  const shown = summary.value?.snapshot ?? null;
  const isOld =
    newest !== null &&
    shown !== null &&
    version.kind !== 'tag' &&
    !model.isMoving &&
    BigInt(newest) > BigInt(shown) &&
    summary.status === 'ready';
  if (!isOld) {
    return <span className="pw-newer" role="status" />;
  }
  const show = (): void => {
    if (version.kind === 'latest') {
      model.refresh();
    } else {
      model.showVersion(LATEST);
    }
  };
  return (
    <span className="pw-newer" role="status">
      {trans.__('Snapshot %1 is available.', newest)}
      <button type="button" className="pw-link-button" onClick={show}>
        {trans.__('Show latest')}
      </button>
    </span>
  );
}
