import * as React from 'react';
import type { DamagedFileValue, Int64 } from '../contract';
import { useStore } from '../react';
import { countText, isOne } from '../state/texts';
import type { PageProps } from './context';
import { canRollBack, readableOf } from './damage';
import { partOf, READABLE, SUMMARY } from './parts';
import { viewWords } from './words';

/** Shows the damaged file, and offers the newest version that can be read instead. */
export function DamageReport(props: PageProps): React.ReactElement {
  const { model, trans } = props;
  const state = useStore(model.store);
  const shown = partOf(state, SUMMARY).value?.snapshot ?? null;
  const file = partOf(state, READABLE).value?.damaged ?? null;
  const readable = readableOf(state);
  return (
    <>
      {file && <DamagedFile file={file} trans={trans} />}
      {readable !== null && (
        <p className="pw-readable">
          {shown !== null && trans.__('Snapshot %1 is damaged.', shown)}{' '}
          {trans.__('Snapshot %1 can be read:', readable)}{' '}
          <button
            type="button"
            className="jp-Button pw-button"
            onClick={() =>
              model.showVersion({ kind: 'snapshot', id: readable })
            }
          >
            {trans.__('Open snapshot %1', readable)}
          </button>
        </p>
      )}
      {readable !== null &&
        canRollBack(state) &&
        (state.readOnly ? (
          <p className="pw-dim">{viewWords(trans).readOnlyCatalog}</p>
        ) : (
          <Rollback {...props} snapshot={readable} />
        ))}
    </>
  );
}

interface DamagedFileProps extends Pick<PageProps, 'trans'> {
  readonly file: DamagedFileValue;
}

function DamagedFile({ file, trans }: DamagedFileProps) {
  const bytes = (size: Int64 | null, missing: string) =>
    size === null
      ? missing
      : isOne(size)
        ? trans.__('1 byte')
        : trans.__('%1 bytes', countText(size));
  const facts = [
    [trans.__('Damaged file'), file.path],
    [
      trans.__('Expected size'),
      bytes(file.expected_bytes, trans.__('not recorded'))
    ],
    [
      trans.__('Actual size'),
      bytes(file.found_bytes, trans.__('none: the file is missing'))
    ]
  ];
  return (
    <table className="pw-table pw-facts">
      <tbody>
        {facts.map(([title, text]) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            <td>{text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface RollbackProps extends PageProps {
  readonly snapshot: Int64;
}

/** Offers the code that makes a snapshot the latest one. */
function Rollback({ model, trans, actions, snapshot }: RollbackProps) {
  const [code, setCode] = React.useState('');
  React.useEffect(() => {
    let isShown = true;
    const show = (text: string): void => {
      if (isShown) {
        setCode(text);
      }
    };
    // Code cannot open the table if its catalog is not known.
    void actions.rollbackCode(snapshot).then(show, () => show(''));
    return () => {
      isShown = false;
    };
  }, [model, snapshot]);
  return code ? (
    <details className="pw-rollback">
      <summary>{trans.__('Roll back to snapshot %1', snapshot)}</summary>
      <p>
        {trans.__(
          'A rollback makes snapshot %1 the latest one and permanently deletes all later snapshots and tags:',
          snapshot
        )}
      </p>
      <pre className="pw-code" tabIndex={0}>
        {code}
      </pre>
      <button
        type="button"
        className="jp-Button pw-button"
        onClick={() => actions.copy(code)}
      >
        {trans.__('Copy as Python')}
      </button>
    </details>
  ) : null;
}
