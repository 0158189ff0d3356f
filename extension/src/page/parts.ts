import type { SummaryValue, TimelineValue } from '../contract';
import type { Read } from '../source';
import { idle, type Loaded } from '../state/loaded';
import type { TableName } from '../state/names';
import type { VersionParameters } from '../state/version';

const DEFAULT_PAGE = 200;
const MAX_PAGE = 1000;

/** What a page shows: a table, a version of it, and the arguments of its views. */
export interface PartQuery {
  readonly table: TableName;
  readonly version: VersionParameters;
  readonly arguments: ViewArguments;
}

/** The arguments of views by name, such as the bucket that is shown. */
export type ViewArguments = Readonly<Record<string, string | null>>;

/** A value that a page reads for its views. */
export interface Part<V = unknown> {
  readonly name: string;
  /** Whether each version has its own value. */
  readonly perVersion: boolean;
  /** Whether the page reads it whatever tab is open. */
  readonly always?: boolean;
  /** Read the value; `shown` is the one that it replaces. */
  read(read: Read, query: PartQuery, shown: V | null): Promise<V>;
  /** Read the value with the next page of its list, or return null after the last page. */
  more?(read: Read, query: PartQuery, shown: V): Promise<V> | null;
}

/** The state of each part, by name. */
export type PartStates = Readonly<Record<string, Loaded<unknown>>>;

const IDLE = idle<never>();

export function partOf<V>(
  { parts }: { readonly parts: PartStates },
  { name }: Part<V>
): Loaded<V> {
  return (parts[name] as Loaded<V> | undefined) ?? IDLE;
}

/** The version shown, for the head of the page and the overview. */
export const SUMMARY: Part<SummaryValue> = {
  name: 'summary',
  perVersion: true,
  always: true,
  read: (read, { table, version }) => read('summary', { ...table, ...version })
};

/** All versions, for the version switch and the timeline. */
export const TIMELINE: Part<TimelineValue> = {
  name: 'timeline',
  perVersion: false,
  always: true,
  read: (read, { table }, shown) =>
    read('timeline', { ...table, limit: sameCount(shown?.snapshots) }),
  more(read, { table }, shown) {
    if (!shown.next) {
      return null;
    }
    return read('timeline', { ...table, cursor: shown.next }).then(page => ({
      ...page,
      snapshots: [...shown.snapshots, ...page.snapshots]
    }));
  }
};

/** Return the limit that reads as many items as are shown; undefined if the default suffices. */
export function sameCount(
  shown: readonly unknown[] | undefined
): number | undefined {
  const count = shown?.length ?? 0;
  return count > DEFAULT_PAGE ? Math.min(count, MAX_PAGE) : undefined;
}
