import type {
  ColumnsValue,
  LiveFilesValue,
  ReadableVersionValue,
  RowCountValue,
  RowsValue,
  SummaryValue,
  TimelineValue
} from '../contract';
import type { Read } from '../source';
import { idle, type Loaded } from '../state/loaded';
import type { TableName } from '../state/names';
import type { VersionParameters } from '../state/version';

const DEFAULT_PAGE = 200;
const MAX_PAGE = 1000;

/** What a part is read for: a table, a version of it, and the arguments of the views. */
export interface PartQuery {
  readonly table: TableName;
  readonly version: VersionParameters;
  readonly arguments: ViewArguments;
  /** The path of a file that is known to be damaged. */
  readonly damaged: string | null;
}

/** The arguments of views, keyed by name, such as the bucket that is shown. */
export type ViewArguments = Readonly<Record<string, string | null>>;

/** A value that a page reads for its views. */
export interface Part<V = unknown> {
  readonly name: string;
  /** Whether the value depends on the version. */
  readonly perVersion: boolean;
  /** Whether the page always reads the value, regardless of the open tab. */
  readonly always?: boolean;
  /** The names of the arguments that the value depends on; by default, all arguments of its tab. */
  readonly takes?: readonly string[];
  /** Read the value; `shown` is the value that it replaces. */
  read(read: Read, query: PartQuery, shown: V | null): Promise<V>;
  /** Extend the value by the next page of its list; return null after the last page. */
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

/** The shown version, for the header of the page and the overview. */
export const SUMMARY: Part<SummaryValue> = {
  name: 'summary',
  perVersion: true,
  takes: [],
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

/** The rows of the version that match the filter, up to where the user has scrolled. */
export const ROWS: Part<RowsValue> = {
  name: 'rows',
  perVersion: true,
  takes: ['where'],
  read: (read, { table, version, arguments: { where } }) =>
    read('rows', { ...table, ...version, where: where ?? '' }),
  more(read, { table, version, arguments: { where } }, shown) {
    if (shown.state !== 'more') {
      return null;
    }
    const start = shown.start + shown.rows.length;
    const request = { ...table, ...version, where: where ?? '', start };
    return read('rows', request).then(page => ({
      ...page,
      start: shown.start,
      rows: [...shown.rows, ...page.rows]
    }));
  }
};

/** The statistics of the columns. */
export const COLUMNS: Part<ColumnsValue> = {
  name: 'columns',
  perVersion: true,
  takes: [],
  read: (read, { table, version }) => read('columns', { ...table, ...version })
};

/** The estimated number of rows, read if metadata does not provide the exact number. */
export const ESTIMATE: Part<RowCountValue> = {
  name: 'estimate',
  perVersion: true,
  read: (read, { table, version }) => read('count', { ...table, ...version })
};

/** The exact number of rows, counted at the user's request. */
export const COUNT: Part<RowCountValue> = {
  name: 'count',
  perVersion: true,
  read: (read, { table, version }) =>
    read('count', { ...table, ...version, exact: true })
};

/** The newest readable version of a damaged table. */
export const READABLE: Part<ReadableVersionValue> = {
  name: 'readable',
  perVersion: true,
  read: (read, { table, version, damaged }) =>
    read('readable', { ...table, ...version, damaged })
};

/** Whether the files of the version are in storage. */
export const LIVE_FILES: Part<LiveFilesValue> = {
  name: 'live_files',
  perVersion: true,
  takes: [],
  read: (read, { table, version }) =>
    read('live_files', { ...table, ...version })
};

/** Return the limit for reading as many items as are shown; undefined if the default is enough. */
export function sameCount(
  shown: readonly unknown[] | undefined
): number | undefined {
  const count = shown?.length ?? 0;
  return count > DEFAULT_PAGE ? Math.min(count, MAX_PAGE) : undefined;
}
