import type { TranslationBundle } from '@jupyterlab/translation';
import {
  addIcon,
  notebookIcon,
  launchIcon,
  type LabIcon
} from '@jupyterlab/ui-components';
import * as React from 'react';
import { MAGIC } from '../copy';

const DOCUMENTATION = 'https://paimon.apache.org/docs/master/';

export interface WelcomeProps {
  readonly trans: TranslationBundle;
  addCatalog(): void;
  /** Return the path of the quickstart notebook, or null if there is none. */
  findQuickstart(): Promise<string | null>;
  openNotebook(path: string): void;
  insertFirstCell(): void;
}

/** Shows the first steps while no table is open. */
export function Welcome(props: WelcomeProps): React.ReactElement {
  const { trans, addCatalog, openNotebook, insertFirstCell } = props;
  const quickstart = useQuickstart(props);
  return (
    <section className="pw-welcome">
      <h2>{trans.__('Welcome to Paimon Workbench')}</h2>
      <p className="pw-dim">
        {trans.__(
          'Select a table in the panel on the left to see its rows, snapshots and files. Or start here:'
        )}
      </p>
      <ul>
        <Step
          icon={addIcon}
          title={trans.__('Add a catalog')}
          text={trans.__(
            'A directory, a bucket, a metastore, a database or a service with Paimon tables'
          )}
          onClick={addCatalog}
        />
        {quickstart !== null ? (
          <Step
            icon={notebookIcon}
            title={trans.__('Open the quickstart')}
            text={trans.__('A notebook about the demo tables')}
            onClick={() => openNotebook(quickstart)}
          />
        ) : (
          <Step
            icon={notebookIcon}
            title={trans.__('Insert a first %1 cell', MAGIC)}
            text={trans.__('Query your tables with SQL in a notebook')}
            onClick={insertFirstCell}
          />
        )}
        <li>
          <launchIcon.react tag="span" />
          <a href={DOCUMENTATION} target="_blank" rel="noopener noreferrer">
            {trans.__('Read the Apache Paimon documentation')}
          </a>
          <span className="pw-dim">
            {trans.__('Opens paimon.apache.org in a new tab')}
          </span>
        </li>
      </ul>
    </section>
  );
}

interface StepProps {
  readonly icon: LabIcon;
  readonly title: string;
  readonly text: string;
  onClick(): void;
}

function Step({ icon, title, text, onClick }: StepProps) {
  return (
    <li>
      <icon.react tag="span" />
      <button type="button" className="pw-link-button" onClick={onClick}>
        {title}
      </button>
      <span className="pw-dim">{text}</span>
    </li>
  );
}

/** Return the path of the quickstart notebook; null until it is found. */
function useQuickstart({ findQuickstart }: WelcomeProps): string | null {
  const [path, setPath] = React.useState<string | null>(null);
  React.useEffect(() => {
    // If the files cannot be listed, the other links remain.
    void findQuickstart().then(setPath, () => setPath(null));
  }, []);
  return path;
}
