import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

interface RoleBadgeProps {
  /** 'primary key', 'partition', both separated by a comma, or ''. */
  readonly role: string;
  readonly trans: TranslationBundle;
}

const KEY =
  'M10.5 1a4.5 4.5 0 0 0-4.3 5.8L1 12v3h3v-2h2v-2h2l1.2-1.2A4.5 4.5 0 1 0 10.5 1zm1 2.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3z';
const PARTITION = 'M1 2h14v3H1zM1 6.5h14v3H1zM1 11h14v3H1z';

/** Marks primary key columns and partition columns. */
export function RoleBadge({ role, trans }: RoleBadgeProps) {
  return (
    <>
      {role.includes('primary key') && (
        <Sign label={trans.__('Primary key')} shape={KEY} />
      )}
      {role.includes('partition') && (
        <Sign label={trans.__('Partition column')} shape={PARTITION} />
      )}
    </>
  );
}

function Sign({ label, shape }: { label: string; shape: string }) {
  return (
    <svg
      className="pw-role"
      role="img"
      aria-label={label}
      viewBox="0 0 16 16"
      width="11"
      height="11"
    >
      <title>{label}</title>
      <path d={shape} fill="currentColor" />
    </svg>
  );
}
