import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import type { ErrorValue } from '../contract';
import { useStore } from '../react';
import { isLost } from '../state/loaded';
import { LATEST } from '../state/version';
import type { PageProps } from './context';
import { DAMAGED } from './damage';
import { DamageReport } from './DamageReport';
import type { PageState } from './pageState';
import { viewDefinitions } from '../viewDefinitions/registry';
import { partOf, SUMMARY } from './parts';

/** A placeholder that the style sheet shows only after a delay, so that fast answers do not flicker. */
export function Waiting({ trans }: { trans: TranslationBundle }) {
  const seconds = useSeconds();
  return (
    <p className="pw-waiting">
      {trans.__('Loading…')}
      {seconds > 1 && (
        // Screen readers would read each second.
        <span aria-hidden="true"> {trans.__('%1 s', seconds)}</span>
      )}
    </p>
  );
}

/** Return for how many seconds a component has been shown. */
function useSeconds(): number {
  const [seconds, setSeconds] = React.useState(0);
  React.useEffect(() => {
    const timer = window.setInterval(() => setSeconds(now => now + 1), 1000);
    return () => window.clearInterval(timer);
  }, []);
  return seconds;
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

interface TroubleProps extends PageProps {
  /** Whether the page is being read. */
  readonly busy: boolean;
}

/** Shows that the table can no longer be read, unless that is shown in place of its values. */
export function Trouble({ model, trans, busy }: TroubleProps) {
  const state = useStore(model.store);
  const { readError } = state;
  const { part } = viewDefinitions.tab(state.tab).tab;
  if (
    !readError ||
    isLost(partOf(state, SUMMARY)) ||
    isLost(partOf(state, part))
  ) {
    return null;
  }
  return (
    <div className="pw-notice pw-trouble" role="alert">
      <span>
        {readError.message}
        <br />
        {readError.hint} {trans.__('This page shows what was read before.')}
      </span>
      <button
        type="button"
        className="jp-Button pw-button"
        disabled={busy}
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
