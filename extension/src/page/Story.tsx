import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import { countText, isOne } from '../state/texts';
import type { PageState } from './pageState';
import type { StoryStep } from './story';

interface StoryProps {
  readonly state: PageState;
  readonly trans: TranslationBundle;
}

/** Describes the snapshots that the page has just moved to automatically. */
export function Story({ state, trans }: StoryProps): React.ReactElement {
  const { story } = state;
  return (
    <p className="pw-story" role="status" data-pw="story">
      {story.map((step, index) => (
        <span key={step.id} data-last={index === story.length - 1}>
          {stepText(step, trans)}
          {index < story.length - 1 && ', '}
        </span>
      ))}
    </p>
  );
}

function stepText(step: StoryStep, trans: TranslationBundle): string {
  const { id, kind, skipped, added, merge } = step;
  if (skipped > 0) {
    const before = trans._n('%1 snapshot', '%1 snapshots', skipped);
    return trans.__('%1, then %2 %3', before, id, kind);
  }
  if (merge) {
    const levels = merge.levels.map(level => `L${level}`).join(', ');
    const runs = trans._n('%1 run', '%1 runs', merge.runs);
    return trans.__('%1 %2: %3 into %4', id, kind, runs, levels);
  }
  const rows = changeText(added);
  return kind === 'COMPACT' || kind === 'ANALYZE'
    ? `${id} ${kind}`
    : isOne(added)
      ? trans.__('%1 %2 %3 row', id, kind, rows)
      : trans.__('%1 %2 %3 rows', id, kind, rows);
}

function changeText(added: string): string {
  const count = BigInt(added);
  return count < 0n ? `−${countText(String(-count))}` : `+${countText(added)}`;
}
