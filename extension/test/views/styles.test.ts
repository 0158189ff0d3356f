import { expect, it } from 'vitest';
import { BIOGRAPHY_STYLES } from '../../src/views/biography/styles';
import { COMPACTION_STYLES } from '../../src/views/compaction/styles';
import { DIFF_STYLES } from '../../src/views/diff/styles';
import { EXPLAIN_STYLES } from '../../src/views/explain/styles';
import { HEALTH_STYLES } from '../../src/views/health/styles';
import { TIMELINE_STYLES } from '../../src/views/history/styles';
import { LEVELS_STYLES } from '../../src/views/levels/styles';
import { SUMMARY_STYLES } from '../../src/views/summary/styles';

const STYLES = {
  BIOGRAPHY_STYLES,
  COMPACTION_STYLES,
  DIFF_STYLES,
  EXPLAIN_STYLES,
  HEALTH_STYLES,
  TIMELINE_STYLES,
  LEVELS_STYLES,
  SUMMARY_STYLES
};
const RULE = /^\s*([^{}@]+)\{[^{}]*\}/gm;
const BARE = /^\.pwv (\.pwv-[\w-]+)(?![\w-])/;

/** The classes that a view styles regardless of where they occur. */
function bareClasses(styles: string): Set<string> {
  const selectors = [...styles.matchAll(RULE)].flatMap(rule =>
    rule[1].split(',')
  );
  return new Set(
    selectors.flatMap(selector => BARE.exec(selector.trim())?.[1] ?? [])
  );
}

it('no view changes how another one looks', () => {
  const owners = new Map<string, string[]>();
  for (const [name, styles] of Object.entries(STYLES)) {
    for (const each of bareClasses(styles)) {
      owners.set(each, [...(owners.get(each) ?? []), name]);
    }
  }
  expect(owners.size).toBeGreaterThan(100);
  const shared = [...owners].filter(([, names]) => names.length > 1);
  expect(shared).toEqual([]);
});
