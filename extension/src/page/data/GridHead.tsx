import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import type { ColumnSummaryValue, RowsColumnValue } from '../../contract';
import { percentText } from '../../state/texts';
import { RoleBadge } from '../RoleBadge';

/** The text for an empty string, which would otherwise be invisible. */
const EMPTY = '""';

interface GridHeadProps {
  readonly column: RowsColumnValue;
  readonly index: number;
  readonly summary: ColumnSummaryValue | null;
  readonly left: number;
  readonly width: number;
  readonly trans: TranslationBundle;
}

/** The heading of a column: name, type, share of nulls, and the range of its values. */
export function GridHead(props: GridHeadProps): React.ReactElement {
  const { column, index, summary, left, width, trans } = props;
  const share = summary?.null_share ?? null;
  const nulls = share === null ? '' : trans.__('%1 null', percentText(share));
  const range = rangeText(summary);
  const title = [column.name, column.type, nulls, range].filter(Boolean);
  return (
    <div
      className={`pw-grid-head-cell${column.number ? ' pw-mod-number' : ''}`}
      role="columnheader"
      aria-colindex={index + 1}
      title={title.join('\n')}
      style={{ left, width }}
    >
      <span className="pw-grid-name">
        <RoleBadge role={column.role} trans={trans} />
        <strong>{column.name}</strong> <code>{column.type}</code>
      </span>
      <span className="pw-grid-range">{range || '\u00a0'}</span>
      <span className="pw-grid-nulls">
        {share !== null && (
          <meter aria-label={trans.__('Share of nulls')} value={share} />
        )}
        {nulls}
      </span>
    </div>
  );
}

function rangeText(summary: ColumnSummaryValue | null): string {
  const { minimum, maximum } = summary ?? { minimum: null, maximum: null };
  if (minimum === null || maximum === null) {
    return '';
  }
  const [low, high] = [minimum || EMPTY, maximum || EMPTY];
  return low === high ? low : `${low} – ${high}`;
}
