import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import type { ErrorValue } from '../contract';
import { useStore } from '../react';
import { LATEST } from '../state/version';
import type { PageProps } from './context';
import { DAMAGED } from './damage';
import { DamageReport } from './DamageReport';
import type { PageState } from './pageState';
import { partOf, SUMMARY } from './parts';

/** A placeholder that the style sheet shows only after a delay, so that fast answers do not flicker. */
export function Waiting({ trans }: { trans: TranslationBundle }) {
  return <p className="pw-waiting">{trans.__('Loading…')}</p>;
}

interface FailureProps extends PageProps {
  readonly error: ErrorValue | null;
}

/** Shows why something cannot be shown, and what the user can do. */
export function Failure(props: FailureProps) {
  const { model, trans, error } = props;
  const { version } = useStore(model.store);
  return (
    <div className="pw-failure" role="alert">
      <p className="pw-failure-message">{error?.message}</p>
      {error?.hint && <p>{error.hint}</p>}
      {error?.code === DAMAGED && <DamageReport {...props} />}
      <p>
        <button
          type="button"
          className="jp-Button pw-button"
          onClick={() => model.refresh()}
        >
          {trans.__('Try again')}
        </button>
        {version.kind !== 'latest' && (
          <button
            type="button"
            className="jp-Button pw-button"
            onClick={() => model.showVersion(LATEST)}
          >
            {trans.__('Show latest')}
          </button>
        )}
      </p>
    </div>
  );
}

/** Shows that the table can no longer be read. */
export function Trouble({ model, trans }: PageProps) {
  const state = useStore(model.store);
  const { readError } = state;
  if (!readError || partOf(state, SUMMARY).status === 'failed') {
    return null;
  }
  return (
    <div className="pw-notice" role="alert">
      <span>
        {readError.message} {readError.hint}
      </span>
      <button
        type="button"
        className="pw-link-button"
        onClick={() => model.refresh()}
      >
        {trans.__('Try again')}
      </button>
    </div>
  );
}

interface AnnouncementProps {
  readonly state: PageState;
  readonly trans: TranslationBundle;
}

/** Announces to screen readers that the page moved to a new snapshot. */
export function Announcement({ state, trans }: AnnouncementProps) {
  const { arrived } = state;
  const isRead = partOf(state, SUMMARY).status === 'ready';
  const shown = isRead && arrived !== null;
  return (
    <p className="pw-hidden" role="status" data-pw="announcement">
      {shown ? trans.__('Now showing snapshot %1', arrived) : ''}
    </p>
  );
}

export function NeverWritten({ trans }: { trans: TranslationBundle }) {
  return (
    <p className="pw-note">
      {trans.__('No snapshots yet. Data appears here after the first write.')}
    </p>
  );
}
