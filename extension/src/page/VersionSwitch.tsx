import type { TranslationBundle } from '@jupyterlab/translation';
import {
  caretDownEmptyIcon,
  caretLeftIcon,
  caretRightIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';
import { IconButton } from '../IconButton';
import { useStore } from '../react';
import { versionText, type Version } from '../state/version';
import type { PageProps } from './context';
import { partOf, SUMMARY } from './parts';
import { VersionList } from './VersionList';

/** Selects the version that all tabs show: the previous, the next, or any. */
export function VersionSwitch(props: PageProps): React.ReactElement {
  const { model, trans } = props;
  const state = useStore(model.store);
  const { version } = state;
  const summary = partOf(state, SUMMARY);
  const [open, setOpen] = React.useState(false);
  const root = React.useRef<HTMLDivElement>(null);
  const button = React.useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const leave = (event: React.FocusEvent): void => {
    if (!root.current?.contains(event.relatedTarget)) {
      setOpen(false);
    }
  };
  const text = titleOf(version, summary.value?.snapshot ?? null, trans);
  return (
    <div
      className="pw-version"
      role="group"
      aria-label={trans.__('Version')}
      ref={root}
      onBlur={leave}
    >
      <IconButton
        icon={caretLeftIcon}
        label={trans.__('Previous snapshot')}
        disabled={model.neighbor('previous') === null}
        onClick={() => model.step('previous')}
      />
      <button
        type="button"
        className="pw-version-button"
        data-pw="version"
        data-version={versionText(version)}
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-label={trans.__('Version: %1', text)}
        ref={button}
        onClick={() => setOpen(!open)}
      >
        <span className="pw-version-text">{text}</span>
        <caretDownEmptyIcon.react tag="span" />
      </button>
      <IconButton
        icon={caretRightIcon}
        label={trans.__('Next snapshot')}
        disabled={model.neighbor('next') === null}
        onClick={() => model.step('next')}
      />
      {open && <VersionList {...props} close={close} />}
    </div>
  );
}

function titleOf(
  version: Version,
  snapshot: string | null,
  trans: TranslationBundle
): string {
  switch (version.kind) {
    case 'latest':
      return snapshot === null
        ? trans.__('Latest (auto-update)')
        : trans.__('Latest (auto-update): snapshot %1', snapshot);
    case 'snapshot':
      return trans.__('Snapshot %1', version.id);
    case 'tag':
      return trans.__('Tag %1', version.name);
  }
}
