import * as React from 'react';

/**
 * A moving line below a toolbar while something is being read. The style sheet shows it only after a delay.
 *
 * It is for the eyes: the part that is being read has `aria-busy`.
 */
export function Busy({ busy }: { busy: boolean }): React.ReactElement {
  return <div className="pw-busy" data-busy={busy} aria-hidden="true" />;
}
