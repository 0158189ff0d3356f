import { copyIcon, notebookIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import type { OptionValue, SummaryValue } from '../contract';
import { MAGIC } from '../copy';
import { useStore } from '../react';
import { isLost } from '../state/loaded';
import { detailsOf } from '../views/summary/headline';
import { ActionButton } from './ActionButton';
import type { PageProps } from './context';
import { damageOf, verdictOf } from './damage';
import { Data } from './data/Data';
import { Headline, Verdict } from './Headline';
import { partOf, SUMMARY, TIMELINE } from './parts';
import { Failure, NeverWritten, Waiting } from './states';
import { viewTexts } from './words';

/** A version at a glance: its size and condition, its rows, and its details. */
export function Overview(props: PageProps): React.ReactElement {
  const { model, trans } = props;
  const state = useStore(model.store);
  const summary = partOf(state, SUMMARY);
  const { value, error } = summary;
  const timeline = partOf(state, TIMELINE);
  if (isLost(summary)) {
    return <Failure {...props} error={error} />;
  }
  if (!value) {
    return <Waiting trans={trans} />;
  }
  const { contents, damage, snapshot } = value;
  const verdict = contents && verdictOf(state, contents);
  return (
    <>
      <Actions
        {...props}
        isTagged={snapshot !== null && !damageOf(state) && !state.readOnly}
      />
      {snapshot === null && <NeverWritten trans={trans} />}
      {damage && !contents && <Failure {...props} error={damage} />}
      {contents && snapshot !== null && (
        <>
          {verdict && <Verdict verdict={verdict} trans={trans} />}
          <Headline {...props} value={value} contents={contents} />
          <Data {...props} />
        </>
      )}
      <Details value={value} zone={timeline.value?.zone} trans={trans} />
      <Options options={value.options} trans={trans} />
    </>
  );
}

interface ActionsProps extends PageProps {
  /** Whether the version can be tagged: it has a snapshot that reads, in a catalog that accepts changes. */
  readonly isTagged: boolean;
}

function Actions({ actions, trans, isTagged }: ActionsProps) {
  return (
    <div className="pw-actions">
      <ActionButton
        icon={notebookIcon}
        label={trans.__('Insert %1 cell', MAGIC)}
        onClick={actions.insertCell}
      />
      <ActionButton
        icon={copyIcon}
        label={trans.__('Copy as Python')}
        onClick={actions.copyPython}
      />
      <ActionButton
        icon={copyIcon}
        label={trans.__('Copy CREATE TABLE')}
        onClick={actions.copyDefinition}
      />
      {isTagged && (
        <ActionButton
          icon={notebookIcon}
          label={trans.__('Insert cell that creates a tag')}
          onClick={actions.insertTagCell}
        />
      )}
    </div>
  );
}

interface DetailsProps {
  readonly value: SummaryValue;
  readonly zone: string | undefined;
  readonly trans: TranslationBundle;
}

function Details({ value, zone, trans }: DetailsProps): React.ReactElement {
  // The time zone arrives with the timeline.
  const timed = zone ? value : { ...value, time_millis: null };
  const facts = detailsOf(timed, viewTexts(trans, zone));
  return (
    <section>
      <h3>{trans.__('Details')}</h3>
      <table className="pw-table pw-facts">
        <tbody>
          {facts.map(({ name, text }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
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
