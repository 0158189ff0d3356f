import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

interface RoleBadgeProps {
  /** Names of roles, separated by commas. */
  readonly role: string;
  readonly trans: TranslationBundle;
}

/** Marks a column of the primary key and a partition column. */
export function RoleBadge({ role, trans }: RoleBadgeProps) {
  return (
    <>
      {role.includes('key') && (
        <abbr className="pw-role" title={trans.__('Primary key')}>
          🔑
        </abbr>
      )}
      {role.includes('partition') && (
        <abbr className="pw-role" title={trans.__('Partition column')}>
          ▤
        </abbr>
      )}
    </>
  );
}
