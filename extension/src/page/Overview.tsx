import { copyIcon, notebookIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import type { OptionValue, SummaryValue } from '../contract';
import { MAGIC } from '../copy';
import { useStore } from '../react';
import { timeText } from '../state/texts';
import type { PageProps } from './context';
import { Data } from './Data';
import { Headline, Verdict } from './Headline';
import { partOf, SUMMARY, TIMELINE } from './parts';
import { Failure, NeverWritten, Waiting } from './states';

/** A version at a glance: its size and condition, its rows, and its details. */
export function Overview(props: PageProps): React.ReactElement {
  const { model, trans } = props;
  const state = useStore(model.store);
  const { value, status, error } = partOf(state, SUMMARY);
  const timeline = partOf(state, TIMELINE);
  if (status === 'failed') {
    return <Failure {...props} error={error} />;
  }
  if (!value) {
    return <Waiting trans={trans} />;
  }
  const { contents, damage, snapshot } = value;
  return (
    <>
      <Actions {...props} />
      {snapshot === null && <NeverWritten trans={trans} />}
      {damage && <Failure {...props} error={damage} />}
      {contents && snapshot !== null && (
        <>
          {contents.verdict && (
            <Verdict verdict={contents.verdict} trans={trans} />
          )}
          <Headline {...props} value={value} contents={contents} />
          <Data {...props} />
        </>
      )}
      <Details value={value} zone={timeline.value?.zone} trans={trans} />
      <Options options={value.options} trans={trans} />
    </>
  );
}

function Actions({ actions, trans }: PageProps): React.ReactElement {
  return (
    <div className="pw-actions">
      <button
        type="button"
        className="jp-Button pw-button"
        onClick={actions.insertCell}
      >
        <notebookIcon.react tag="span" />
        {trans.__('Insert %1 cell', MAGIC)}
      </button>
      <button
        type="button"
        className="jp-Button pw-button"
        onClick={actions.copyPython}
      >
        <copyIcon.react tag="span" />
        {trans.__('Copy as Python')}
      </button>
    </div>
  );
}

interface DetailsProps {
  readonly value: SummaryValue;
  readonly zone: string | undefined;
  readonly trans: TranslationBundle;
}

function Details({ value, zone, trans }: DetailsProps): React.ReactElement {
  const facts: [string, string | null][] = [
    [trans.__('Snapshot'), snapshotText(value, trans)],
    [
      trans.__('Committed'),
      value.time_millis && zone
        ? `${timeText(value.time_millis, zone)} (${zone})`
        : null
    ],
    [trans.__('Retained snapshots'), historyText(value, trans)],
    [trans.__('Schema'), value.schema_id],
    [trans.__('Primary key'), value.primary_key.join(', ') || null],
    [
      trans.__('Partitioned by'),
      value.partition_keys.join(', ') || trans.__('unpartitioned')
    ],
    [trans.__('Location'), value.location],
    [trans.__('Comment'), value.comment]
  ];
  return (
    <section>
      <h3>{trans.__('Details')}</h3>
      <table className="pw-table pw-facts">
        <tbody>
          {facts
            .filter(([, text]) => text !== null)
            .map(([title, text]) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                <td>{text}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}

function snapshotText(
  { snapshot, commit_kind: kind }: SummaryValue,
  trans: TranslationBundle
): string {
  if (snapshot === null) {
    return trans.__('none');
  }
  return kind ? `${snapshot} (${kind})` : snapshot;
}

function historyText(value: SummaryValue, trans: TranslationBundle) {
  const { earliest_snapshot: earliest, latest_snapshot: latest } = value;
  return earliest && latest ? trans.__('%1–%2', earliest, latest) : null;
}

interface OptionsProps {
  readonly options: readonly OptionValue[];
  readonly trans: TranslationBundle;
}

function Options({ options, trans }: OptionsProps): React.ReactElement {
  return (
    <section>
      <h3>{trans.__('Options')}</h3>
      {options.length === 0 ? (
        <p className="pw-dim">{trans.__('All options use defaults.')}</p>
      ) : (
        <table className="pw-table">
          <thead>
            <tr>
              <th scope="col">{trans.__('Option')}</th>
              <th scope="col">{trans.__('Value')}</th>
            </tr>
          </thead>
          <tbody>
            {options.map(({ key, value }) => (
              <tr key={key}>
                <td>
                  <code>{key}</code>
                </td>
                <td>
                  <code>{value}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
