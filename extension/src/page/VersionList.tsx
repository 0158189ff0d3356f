import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import { useStore } from '../react';
import { timeText } from '../state/texts';
import { sameVersion, versionText } from '../state/version';
import { versionChoices, type VersionChoice } from '../state/versions';
import type { PageProps } from './context';
import { partOf, TIMELINE } from './parts';

interface ListProps extends PageProps {
  close(): void;
}

/** A search field over a list box: typing filters it, arrow keys move in it, Enter selects. */
export function VersionList(props: ListProps): React.ReactElement {
  const { model, trans, close } = props;
  const state = useStore(model.store);
  const { version } = state;
  const timeline = partOf(state, TIMELINE);
  const id = React.useId();
  const list = React.useRef<HTMLDivElement>(null);
  const [search, setSearch] = React.useState('');
  const choices = React.useMemo(
    () => versionChoices(timeline.value, search),
    [timeline.value, search]
  );
  const [active, setActive] = React.useState(() =>
    Math.max(
      choices.findIndex(choice => sameVersion(choice.version, version)),
      0
    )
  );
  const index = Math.min(active, choices.length - 1);
  React.useLayoutEffect(() => {
    list.current
      ?.querySelector('[data-active="true"]')
      ?.scrollIntoView({ block: 'nearest' });
  }, [index]);

  const choose = (choice: VersionChoice | undefined): void => {
    if (choice) {
      close();
      model.showVersion(choice.version);
    }
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      const next = index + steps[event.key];
      setActive(Math.min(Math.max(next, 0), choices.length - 1));
    } else if (event.key === 'Enter') {
      choose(choices[index]);
    } else if (event.key === 'Escape') {
      close();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="pw-version-popup">
      <input
        className="pw-search"
        type="text"
        role="combobox"
        autoFocus
        aria-label={trans.__('Search versions')}
        placeholder={trans.__('Snapshot or tag')}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={index >= 0 ? `${id}-${index}` : undefined}
        value={search}
        onChange={event => {
          setSearch(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        className="pw-version-list"
        role="listbox"
        id={`${id}-list`}
        aria-label={trans.__('Versions')}
        ref={list}
        // The field must keep the focus to receive key events.
        onMouseDown={event => event.preventDefault()}
      >
        {choices.map((choice, at) => (
          <div
            key={versionText(choice.version)}
            id={`${id}-${at}`}
            role="option"
            className="pw-option"
            aria-selected={sameVersion(choice.version, version)}
            data-active={at === index}
            onClick={() => choose(choice)}
          >
            <span>{choiceText(choice, trans)}</span>
            <span className="pw-dim">{choice.detail}</span>
            <span className="pw-dim">
              {choice.millis && timeline.value
                ? timeText(choice.millis, timeline.value.zone)
                : ''}
            </span>
          </div>
        ))}
      </div>
      {choices.length === 0 && (
        <p className="pw-dim">{trans.__('No version matches.')}</p>
      )}
      {timeline.value?.next && (
        <button
          type="button"
          className="pw-link-button"
          onClick={() => void model.more(TIMELINE)}
        >
          {trans.__('Show older snapshots')}
        </button>
      )}
    </div>
  );
}

function choiceText({ version }: VersionChoice, trans: TranslationBundle) {
  switch (version.kind) {
    case 'latest':
      return trans.__('Latest (auto-update)');
    case 'snapshot':
      return trans.__('Snapshot %1', version.id);
    case 'tag':
      return trans.__('Tag %1', version.name);
  }
}
