import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import type {
  FieldValue,
  SchemaHistoryValue,
  SchemaVersionValue
} from '../contract';
import { useStore } from '../react';
import { isLost } from '../state/loaded';
import { countText, timeText } from '../state/texts';
import type { PageProps } from './context';
import { partOf, TIMELINE, type Part } from './parts';
import { RoleBadge } from './RoleBadge';
import { Failure, Waiting } from './states';

/** The largest number of columns that are shown without a filter. */
const FEW_COLUMNS = 12;

/** The schema history, and the id of the version's schema. */
export const SCHEMA: Part<SchemaHistoryValue> = {
  name: 'schema',
  perVersion: true,
  read: (read, { table, version }) => read('schema', { ...table, ...version })
};

/** The columns at the version, and the changes that led to them. */
export function Schema(props: PageProps): React.ReactElement {
  const { model, trans } = props;
  const state = useStore(model.store);
  const schema = partOf(state, SCHEMA);
  const timeline = partOf(state, TIMELINE);
  if (isLost(schema)) {
    return <Failure {...props} error={schema.error} />;
  }
  if (!schema.value) {
    return <Waiting trans={trans} />;
  }
  const { versions, current } = schema.value;
  const shown = versions.find(version => version.id === current);
  return (
    <>
      <section>
        <h3>{trans.__('Columns of schema %1', current)}</h3>
        {shown && <Columns fields={shown.fields} trans={trans} />}
      </section>
      <Versions
        history={schema.value}
        zone={timeline.value?.zone}
        trans={trans}
      />
    </>
  );
}

interface ColumnsProps {
  readonly fields: readonly FieldValue[];
  readonly trans: TranslationBundle;
}

/** The columns as a table; on narrow pages, each column is a card with its name, type and badges. */
function Columns({ fields, trans }: ColumnsProps): React.ReactElement {
  const [search, setSearch] = React.useState('');
  const wanted = search.trim().toLowerCase();
  const found = fields.filter(field => textOf(field).includes(wanted));
  const titles = [
    trans.__('ID'),
    trans.__('Name'),
    trans.__('Type'),
    trans.__('Null'),
    trans.__('Default'),
    trans.__('Comment')
  ];
  return (
    <>
      {fields.length > FEW_COLUMNS && (
        <div className="pw-filter" role="search">
          <input
            className="pw-search"
            type="search"
            value={search}
            placeholder={trans.__('Filter by name, type or comment')}
            aria-label={trans.__('Filter columns')}
            onChange={event => setSearch(event.target.value)}
          />
          <span className="pw-dim" role="status">
            {trans.__(
              '%1 of %2',
              countText(found.length),
              countText(fields.length)
            )}
          </span>
        </div>
      )}
      <table className="pw-table pw-columns">
        <thead>
          <tr>
            {titles.map(title => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.map(field => (
            <Column key={field.id} field={field} trans={trans} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function Column({
  field,
  trans
}: {
  readonly field: FieldValue;
  readonly trans: TranslationBundle;
}): React.ReactElement {
  return (
    <tr>
      <td className="pw-number pw-column-id">{field.id}</td>
      <th scope="row">
        <RoleBadge role={field.role} trans={trans} />
        {field.name}
      </th>
      <td>
        <code>{field.type}</code>
      </td>
      <td className="pw-column-null">
        {field.nullable ? (
          ''
        ) : (
          <span className="pw-badge">{trans.__('NOT NULL')}</span>
        )}
      </td>
      <td className="pw-column-default" data-title={trans.__('Default')}>
        {field.default !== null && <code>{field.default}</code>}
      </td>
      <td className="pw-column-comment">{field.comment}</td>
    </tr>
  );
}

function textOf({ name, type, comment }: FieldValue): string {
  return `${name} ${type} ${comment ?? ''}`.toLowerCase();
}

interface VersionsProps {
  readonly history: SchemaHistoryValue;
  readonly zone: string | undefined;
  readonly trans: TranslationBundle;
}

function Versions({ history, zone, trans }: VersionsProps) {
  return (
    <section>
      <h3>{trans.__('Schema versions')}</h3>
      <ol className="pw-schemas">
        {history.versions.map(version => (
          <li
            key={version.id}
            aria-current={version.id === history.current ? 'true' : undefined}
          >
            <p className="pw-schema-title">
              <strong>{trans.__('Schema %1', version.id)}</strong>
              {version.id === history.current && (
                <span className="pw-badge">{trans.__('shown')}</span>
              )}
              {zone && (
                <span className="pw-dim">
                  {timeText(version.time_millis, zone)} ({zone})
                </span>
              )}
            </p>
            <Changes version={version} trans={trans} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface ChangesProps {
  readonly version: SchemaVersionValue;
  readonly trans: TranslationBundle;
}

function Changes({ version, trans }: ChangesProps): React.ReactElement {
  const { changes, fields, id } = version;
  if (changes.length === 0) {
    const columns = trans._n('%1 column', '%1 columns', fields.length);
    return (
      <p className="pw-dim">
        {id === '0' ? trans.__('Created with %1', columns) : columns}
      </p>
    );
  }
  return (
    <ul className="pw-changes">
      {changes.map((change, index) => (
        <li key={index} data-change={change.kind}>
          {change.text}
        </li>
      ))}
    </ul>
  );
}
