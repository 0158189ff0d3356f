import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import type { ErrorValue } from '../contract';
import { useStore } from '../react';
import { LATEST } from '../state/version';
import type { PageProps } from './context';
import type { PageState } from './model';

/** Shown by the style sheet only after a while: what comes at once needs no such word. */
export function Waiting({ trans }: { trans: TranslationBundle }) {
  return <p className="pw-waiting">{trans.__('Loading …')}</p>;
}

interface FailureProps extends PageProps {
  readonly error: ErrorValue | null;
}

/** Why nothing can be shown, and what can be done about it. */
export function Failure({ model, trans, error }: FailureProps) {
  const { version } = useStore(model.store);
  return (
    <div className="pw-failure" role="alert">
      <p className="pw-failure-message">{error?.message}</p>
      {error?.hint && <p>{error.hint}</p>}
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

/** What the page shows can not be read any more. */
export function Trouble({ model, trans }: PageProps) {
  const { trouble, summary } = useStore(model.store);
  if (!trouble || summary.status === 'failed') {
    return null;
  }
  return (
    <div className="pw-notice" role="alert">
      <span>
        {trouble.message} {trouble.hint}
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

/** Tells a screen reader that the page moved on by itself. */
export function Announcement({ state, trans }: AnnouncementProps) {
  const { arrived, summary } = state;
  const shown = summary.status === 'ready' && arrived !== null;
  return (
    <p className="pw-hidden" role="status" data-pw="announcement">
      {shown ? trans.__('Now showing snapshot %1', arrived) : ''}
    </p>
  );
}

export function NeverWritten({ trans }: { trans: TranslationBundle }) {
  return (
    <p className="pw-note">
      {trans.__(
        'Nothing was written to this table yet: it has no snapshot. Insert rows, and they show here.'
      )}
    </p>
  );
}
