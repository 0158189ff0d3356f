import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import { Busy } from '../Busy';
import { viewDefinitions } from '../viewDefinitions/registry';
import type { PageState } from './pageState';

interface TabsProps {
  readonly state: PageState;
  readonly tab: string;
  readonly busy: boolean;
  readonly trans: TranslationBundle;
  readonly children: React.ReactNode;
  onTab(tab: string): void;
}

/** Tabs in the ARIA pattern: arrow keys select, there is one tab stop, and the tab labels its panel. */
export function Tabs(props: TabsProps): React.ReactElement {
  const { state, tab, busy, trans, children, onTab } = props;
  const views = viewDefinitions.tabs.filter(
    view => !view.tab.listedWhenOpen || view.name === tab
  );
  const id = React.useId();
  const list = React.useRef<HTMLDivElement>(null);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const index = views.findIndex(({ name }) => name === tab);
    const next = tabFor(event.key, index, views.length - 1);
    if (next !== null) {
      event.preventDefault();
      onTab(views[next].name);
      (list.current?.children[next] as HTMLElement).focus();
    }
  };
  return (
    <>
      <div
        className="pw-tabs"
        role="tablist"
        aria-label={trans.__('Views of the table')}
        ref={list}
        onKeyDown={onKeyDown}
      >
        {views.map(({ name, tab: { title } }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            className="pw-tab"
            aria-selected={name === tab}
            aria-controls={name === tab ? `${id}-panel` : undefined}
            tabIndex={name === tab ? 0 : -1}
            onClick={() => onTab(name)}
          >
            {title(trans, state)}
          </button>
        ))}
      </div>
      <Busy busy={busy} />
      <div
        className="pw-tab-panel"
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${tab}`}
        aria-busy={busy}
        tabIndex={0}
      >
        {children}
      </div>
    </>
  );
}

function tabFor(key: string, index: number, last: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return index === last ? 0 : index + 1;
    case 'ArrowLeft':
      return index === 0 ? last : index - 1;
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}
