import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import { TABS, type Tab } from './model';

interface TabsProps {
  readonly tab: Tab;
  readonly busy: boolean;
  readonly trans: TranslationBundle;
  readonly children: React.ReactNode;
  onTab(tab: Tab): void;
}

/** Tabs as ARIA has them: arrows move and show, one tab stop, the panel is named by its tab. */
export function Tabs(props: TabsProps): React.ReactElement {
  const { tab, busy, trans, children, onTab } = props;
  const id = React.useId();
  const list = React.useRef<HTMLDivElement>(null);
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const next = tabFor(event.key, TABS.indexOf(tab));
    if (next !== null) {
      event.preventDefault();
      onTab(TABS[next]);
      (list.current?.children[next] as HTMLElement).focus();
    }
  };
  const titles = tabTitles(trans);
  return (
    <>
      <div
        className="pw-tabs"
        role="tablist"
        aria-label={trans.__('Parts of the table')}
        ref={list}
        onKeyDown={onKeyDown}
      >
        {TABS.map(each => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`${id}-${each}`}
            className="pw-tab"
            aria-selected={each === tab}
            aria-controls={each === tab ? `${id}-panel` : undefined}
            tabIndex={each === tab ? 0 : -1}
            onClick={() => onTab(each)}
          >
            {titles[each]}
          </button>
        ))}
      </div>
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

function tabTitles(trans: TranslationBundle): Record<Tab, string> {
  return {
    overview: trans.__('Overview'),
    schema: trans.__('Schema'),
    timeline: trans.__('Timeline'),
    levels: trans.__('Levels')
  };
}

function tabFor(key: string, index: number): number | null {
  const last = TABS.length - 1;
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
