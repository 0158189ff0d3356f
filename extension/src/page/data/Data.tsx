import type { TranslationBundle } from '@jupyterlab/translation';
import { historyIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { ErrorValue, RowsValue } from '../../contract';
import { useStore } from '../../react';
import { isTemporary } from '../../source';
import { BIOGRAPHY, rowArguments } from '../../viewDefinitions/biography';
import { EXPLAIN, EXPLAINED } from '../../viewDefinitions/explain';
import { isOfKey, keyOfRow } from '../../views/row_key';
import type { PageProps } from '../context';
import { DAMAGED } from '../damage';
import { Grid, type RowAction } from './Grid';
import { COLUMNS, partOf, ROWS } from '../parts';
import { Failure, Waiting } from '../states';

/** The rows of the version, with a filter. */
export function Data(props: PageProps): React.ReactElement {
  const { model, trans } = props;
  const state = useStore(model.store);
  const { value, status, error } = partOf(state, ROWS);
  const columns = partOf(state, COLUMNS).value;
  const where = state.arguments.where ?? '';
  const summaries = React.useMemo(
    () => new Map(columns?.columns.map(column => [column.name, column])),
    [columns]
  );
  return (
    <section className="pw-data" aria-busy={status === 'loading'}>
      <div className="pw-data-head">
        <h3>{trans.__('Data')}</h3>
        <Filter {...props} where={where} />
        <button
          type="button"
          className="jp-Button pw-button"
          onClick={() => {
            model.setArguments({ [EXPLAINED]: where || null });
            model.showTab(EXPLAIN.name);
          }}
        >
          {trans.__('Explain this read')}
        </button>
        <p className="pw-dim" role="status">
          {value ? rowsText(value, where, trans) : ''}
        </p>
      </div>
      {error &&
        !value &&
        (error.code === DAMAGED || isTemporary(error) ? (
          <Failure {...props} error={error} />
        ) : (
          <FilterFailure error={error} />
        ))}
      {value ? (
        <Grid
          value={value}
          columns={summaries}
          busy={status === 'loading'}
          trans={trans}
          onEnd={() => void model.more(ROWS)}
          action={biographyAction(model, value, trans)}
        />
      ) : (
        !error && <Waiting trans={trans} />
      )}
      {value && summaries.size > 0 && (
        <p className="pw-data-note pw-dim">
          {columns?.complete
            ? trans.__('Null shares and ranges cover the stored rows.')
            : trans.__(
                'Null shares and ranges are left out: the version has too many files.'
              )}{' '}
          {trans.__('Times are in %1.', value.zone)}
        </p>
      )}
    </section>
  );
}

/** Return the action that shows the biography of a row, or null if rows have no primary key. */
function biographyAction(
  model: PageProps['model'],
  value: RowsValue,
  trans: TranslationBundle
): RowAction | null {
  return value.columns.some(isOfKey)
    ? {
        label: trans.__('Biography of this row'),
        icon: historyIcon,
        run: row => {
          const key = keyOfRow(value.columns, value.rows[row]);
          if (key) {
            model.setArguments(rowArguments(key));
            model.showTab(BIOGRAPHY.name);
          }
        }
      }
    : null;
}

function Filter({ model, trans, where }: PageProps & { where: string }) {
  const [text, setText] = React.useState(where);
  React.useEffect(() => setText(where), [where]);
  const apply = (next: string): void => {
    setText(next);
    model.setArguments({ where: next.trim() || null });
  };
  return (
    <form
      className="pw-filter"
      role="search"
      onSubmit={event => {
        event.preventDefault();
        apply(text);
      }}
    >
      <input
        className="pw-search"
        type="text"
        spellCheck={false}
        value={text}
        placeholder={trans.__(
          'Filter, for example id > 10 AND name IS NOT NULL'
        )}
        aria-label={trans.__('Filter rows by a condition')}
        onChange={event => setText(event.target.value)}
      />
      <button type="submit" className="jp-Button pw-button">
        {trans.__('Filter')}
      </button>
      {where && (
        <button
          type="button"
          className="jp-Button pw-button"
          onClick={() => apply('')}
        >
          {trans.__('Clear')}
        </button>
      )}
    </form>
  );
}

function FilterFailure({ error }: { error: ErrorValue }) {
  return (
    <p className="pw-notice" role="alert">
      <span>
        {error.message} {error.hint}
      </span>
    </p>
  );
}

function rowsText(
  { rows, state }: RowsValue,
  where: string,
  trans: TranslationBundle
): string {
  const count = rows.length;
  switch (state) {
    case 'slow':
      return where
        ? trans._n(
            '%1 row found so far. The search was stopped because it took too long; narrow the filter.',
            '%1 rows found so far. The search was stopped because it took too long; narrow the filter.',
            count
          )
        : trans._n(
            'The first row; reading was stopped because it took too long',
            'The first %1 rows; reading was stopped because it took too long',
            count
          );
    case 'cut':
      return trans._n(
        'The first row; filter to see others',
        'The first %1 rows; filter to see others',
        count
      );
    case 'more':
      return where
        ? trans._n(
            'The first matching row; scroll for more',
            'The first %1 matching rows; scroll for more',
            count
          )
        : trans._n(
            'The first row; scroll for more',
            'The first %1 rows; scroll for more',
            count
          );
    default:
      return where
        ? trans._n('%1 matching row', '%1 matching rows', count)
        : trans._n('%1 row', '%1 rows', count);
  }
}
