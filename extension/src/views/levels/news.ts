import type { LevelsValue } from '../../contract';
import type { Texts } from '../texts';
import { bucketSummary, bucketTitle, filesOf } from './tree';

/** The changes between two values of the levels. */
export interface News {
  /** The names of new files. */
  fresh: ReadonlySet<string>;
  /** The changes in words; empty if there are none. */
  text: string;
}

const NOTHING: News = { fresh: new Set(), text: '' };

/** Return the changes between two values, or null if both show the same version of the same bucket. */
export function newsOf(
  before: LevelsValue | null,
  now: LevelsValue,
  texts: Texts
): News | null {
  if (before === null || before.table !== now.table) {
    return NOTHING;
  }
  const sameBucket = before.bucket?.id === now.bucket?.id;
  if (sameBucket && before.snapshot === now.snapshot) {
    return null;
  }
  if (!sameBucket && before.bucket !== null && now.bucket !== null) {
    return { fresh: new Set(), text: shownText(now, texts) };
  }
  const oldNames = namesOf(before);
  const names = namesOf(now);
  const fresh = new Set([...names].filter(name => !oldNames.has(name)));
  const removed = [...oldNames].filter(name => !names.has(name)).length;
  const text = texts.format('filesChanged', {
    id: now.snapshot ?? '',
    added: texts.format('filesAdded', { n: fresh.size }),
    removed: texts.format('filesRemoved', { n: removed })
  });
  return { fresh, text };
}

function shownText(value: LevelsValue, texts: Texts): string {
  const { bucket } = value;
  return bucket === null
    ? ''
    : `${bucketTitle(bucket, texts)}: ${bucketSummary(bucket, value, texts)}`;
}

function namesOf(value: LevelsValue): Set<string> {
  const files = value.bucket ? filesOf(value.bucket) : [];
  return new Set(files.map(file => file.name));
}
