import { copyIcon, notebookIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import type { OptionValue, SummaryValue } from '../contract';
import { MAGIC } from '../copy';
import { useStore } from '../react';
import { countText, sizeText, timeText } from '../state/texts';
import type { PageProps } from './context';
import { partOf, SUMMARY, TIMELINE } from './parts';
import { NeverWritten, Waiting } from './states';

export function Overview(props: PageProps): React.ReactElement {
  const { model, trans, actions } = props;
  const state = useStore(model.store);
  const { value } = partOf(state, SUMMARY);
  const timeline = partOf(state, TIMELINE);
  if (!value) {
    return <Waiting trans={trans} />;
  }
  return (
    <>
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
      {value.snapshot === null && <NeverWritten trans={trans} />}
      <Figures {...props} value={value} />
      <Facts value={value} zone={timeline.value?.zone} trans={trans} />
      <Options options={value.options} trans={trans} />
    </>
  );
}

/** The numbers that describe the size of a table. */
function Figures({
  value,
  trans,
  bytes
}: PageProps & { value: SummaryValue }): React.ReactElement {
  const figures: [string, string][] = [
    [trans.__('Rows before merging'), countText(value.rows)],
    [trans.__('Files'), countText(value.files)],
    [trans.__('Size'), sizeText(value.size, bytes())],
    [trans.__('Partitions'), countText(value.partitions)],
    [trans.__('Buckets'), countText(value.buckets)],
    [trans.__('Most runs in a bucket'), countText(value.runs)]
  ];
  return (
    <dl className="pw-figures">
      {figures.map(([title, text]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

interface FactsProps {
  readonly value: SummaryValue;
  readonly zone: string | undefined;
  readonly trans: TranslationBundle;
}

function Facts({ value, zone, trans }: FactsProps): React.ReactElement {
  const facts: [string, string | null][] = [
    [trans.__('Snapshot'), snapshotText(value, trans)],
    [
      trans.__('Committed'),
      value.time_millis && zone
        ? `${timeText(value.time_millis, zone)} (${zone})`
        : null
    ],
    [trans.__('History'), historyText(value, trans)],
    [trans.__('Schema'), value.schema_id],
    [trans.__('Primary key'), value.primary_key.join(', ') || null],
    [trans.__('Partitioned by'), value.partition_keys.join(', ') || null],
    [trans.__('Location'), value.location],
    [trans.__('Comment'), value.comment]
  ];
  return (
    <section>
      <h3>{trans.__('Facts')}</h3>
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
  return earliest && latest
    ? trans.__('snapshots %1 to %2', earliest, latest)
    : null;
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
        <p className="pw-dim">{trans.__('All options have their defaults.')}</p>
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
