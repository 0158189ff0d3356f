import type {
  CatalogValue,
  LevelsValue,
  OtherEntriesValue,
  Page,
  Requests,
  Responses,
  SummaryValue,
  TimelineValue
} from '../../src/contract';
import {
  LakeError,
  type Endpoint,
  type ILakeSource,
  type Listing,
  type News,
  type Read
} from '../../src/source';
import type { TableName } from '../../src/state/names';

type Tables = Record<string, Record<string, string[]>>;
type Answers = { [E in Endpoint]?: (request: Requests[E]) => Responses[E] };

export const DEAD = {
  code: 'storage_error',
  message: 'The storage lake:9000 does not answer.',
  hint: 'Try again.',
  file: null
};

/** The number of names in a list of views, functions or other tables. */
const MOST_ENTRIES = 3;

/** A lake in memory: names by catalog and database, one history of `newest` snapshots for every table. */
export class FakeSource implements ILakeSource {
  newest = 3;
  broken = new Set<string>();
  /** Whether the storage does not answer at all. */
  dead = false;
  /** The column of some tables, by their full names; the others have none that a search finds. */
  columns: Record<string, string> = {};
  /** What databases have besides tables. */
  entries: Record<
    string,
    { views?: string[]; functions?: string[]; others?: string[] }
  > = {};
  /** The kinds of catalogs that are no directories. */
  kinds: Record<string, string> = {};
  /** What was read, in order. */
  requests: string[] = [];
  watchers = new Set<(news: News) => void>();

  constructor(public names: Tables) {}

  readonly read: Read = async (endpoint, request, signal) => {
    const given = { ...request } as Record<string, unknown>;
    this._note(noteOf(endpoint, given), signal);
    const answer = this._answers[endpoint];
    if (!answer) {
      throw new Error(`The lake in memory does not answer '${endpoint}'.`);
    }
    return answer(request);
  };

  watch(_name: TableName, listen: (news: News) => void): () => void {
    this.watchers.add(listen);
    return () => this.watchers.delete(listen);
  }

  /** Add commits, and report only the last one to the watchers. */
  commit(count = 1): void {
    this.newest += count;
    this.announce();
  }

  /** Report the newest commit to the watchers. */
  announce(): void {
    const snapshot = String(this.newest);
    this.watchers.forEach(listen => listen({ kind: 'snapshot', snapshot }));
  }

  private _entries({
    database,
    search = ''
  }: Requests['tables']): OtherEntriesValue {
    const list = (names: string[] = []) => {
      const found = names.filter(name => name.includes(search));
      return { names: found.slice(0, MOST_ENTRIES), total: found.length };
    };
    const { views, functions, others } = this.entries[database] ?? {};
    return {
      views: list(views),
      functions: list(functions),
      others: list(others)
    };
  }

  private _note(what: string, signal?: AbortSignal): void {
    this.requests.push(what);
    if (signal?.aborted) {
      throw new DOMException('The request was cancelled.', 'AbortError');
    }
    if (this.dead) {
      throw new LakeError(DEAD);
    }
    const broken = [...this.broken].find(each => what.startsWith(each));
    if (broken) {
      const message = `${broken} is broken.`;
      throw new LakeError({
        code: 'corrupt_file',
        message,
        hint: null,
        file: `/data/${broken}`
      });
    }
  }

  private readonly _answers: Answers = {
    environment: () => ({
      version: '1',
      python: '/p/bin/python',
      prefix: '/p',
      host: 'here'
    }),
    catalogs: () => ({
      items: Object.keys(this.names).map(name =>
        catalogValue(name, `/data/${name}`, 'user', this.kinds[name])
      )
    }),
    add_catalog: ({ name, options: { warehouse } }) => {
      this.names[name] = { first: ['one'] };
      return catalogValue(name, warehouse, 'session');
    },
    catalog_kinds: () => ({
      items: [{ metastore: 'filesystem', title: 'Directory', options: [] }],
      file: '/home/me/paimon_catalogs.toml'
    }),
    test_connection: ({ options }) => ({
      address: options.warehouse,
      databases: 2
    }),
    remove_catalog: ({ catalog }) => {
      delete this.names[catalog];
      return null;
    },
    databases: request =>
      page(Object.keys(this.names[request.catalog]), request),
    tables: request => ({
      ...page(this.names[request.catalog][request.database], request),
      entries: request.cursor ? null : this._entries(request)
    }),
    table_search: ({ catalog, database, text, cursor }) => {
      const all = this.names[catalog][database];
      const start = cursor ? all.indexOf(cursor) + 1 : 0;
      const part = all.slice(start, start + 2);
      const tables = part.filter(table =>
        this.columns[`${catalog}.${database}.${table}`]?.includes(text)
      );
      const broken = part.filter(table => table.startsWith('broken'));
      return {
        found: tables.map(table => {
          const column = this.columns[`${catalog}.${database}.${table}`];
          const match = { place: 'column' as const, column, text: column };
          return { table, matches: [match], count: 3 };
        }),
        unread: broken.map(table => ({ table, reason: 'It is broken.' })),
        read: part.length,
        total: all.length,
        next: start + 2 < all.length ? part[1] : null
      };
    },
    summary: ({ database, table, snapshot }) =>
      ({
        table: `${database}.${table}`,
        snapshot: snapshot ?? String(this.newest),
        commit_kind: 'APPEND',
        contents: { stored_rows: String(Number(snapshot ?? this.newest) * 10) },
        earliest_snapshot: '1',
        latest_snapshot: String(this.newest)
      }) as Partial<SummaryValue> as SummaryValue,
    rows: ({ where, start = 0 }) => ({
      table: '',
      snapshot: String(this.newest),
      columns: [{ name: 'n', type: 'INT', number: true, role: '' }],
      start,
      rows: [[where || String(start)]],
      state: start < 200 ? 'more' : 'end',
      zone: 'UTC'
    }),
    columns: () => ({
      table: '',
      snapshot: String(this.newest),
      complete: true,
      columns: []
    }),
    count: ({ exact }) => ({ rows: '7', exact: exact ?? false, stored: '9' }),
    live_files: () => ({ files: '1', checked: '1', damage: null }),
    readable: () => ({ snapshot: String(this.newest - 1), damaged: null }),
    definition: ({ table }) => ({ statement: `CREATE TABLE ${table}` }),
    schema: () => ({ table: '', current: '0', versions: [] }),
    timeline: request => {
      const count = this.newest;
      const ids = Array.from({ length: count }, (_, at) => String(count - at));
      const limit = request.limit ?? 2;
      const { items, next, total } = page(ids, { ...request, limit });
      const snapshots = items.map(({ name }) => ({
        id: name,
        kind: 'APPEND',
        time_millis: '0',
        tags: name === '1' ? ['first'] : []
      })) as unknown as TimelineValue['snapshots'];
      return {
        table: '',
        zone: 'UTC',
        snapshots,
        tags: [],
        total,
        next,
        kind: 'primary-key',
        whole: null,
        listed: null
      };
    },
    history: () => {
      throw new Error('The pages that are tested draw no history.');
    },
    snapshots: () => ({ table: '', zone: 'UTC', snapshots: [] }),
    snapshot_search: () => ({
      table: '',
      hits: [],
      found: 0,
      total: '0',
      read: '0'
    }),
    levels: ({ bucket }) =>
      ({
        keys: ['id'],
        buckets: [],
        next: null,
        total: 0,
        bucket: bucket ? { id: bucket } : null
      }) as unknown as LevelsValue
  };
}

export function catalogValue(
  name: string,
  warehouse: string,
  origin: CatalogValue['origin'],
  kind = 'Directory'
): CatalogValue {
  return {
    name,
    warehouse,
    metastore: 'filesystem',
    origin,
    read_only: false,
    kind,
    address: warehouse,
    options: [{ key: 'warehouse', value: warehouse }]
  };
}

/** Describe a request in words: its endpoint and the parameters that distinguish it. */
function noteOf(endpoint: Endpoint, request: Record<string, unknown>): string {
  const { catalog, database, snapshot, tag, bucket, search } = request;
  const { where, start, exact, damaged, text, cursor } = request;
  const words: Partial<Record<Endpoint, unknown[]>> = {
    databases: [catalog],
    tables: [`${String(catalog)}.${String(database)}`],
    table_search: [`${String(catalog)}.${String(database)}`, text, cursor],
    summary: [snapshot ?? tag ?? 'latest'],
    schema: [snapshot ?? tag ?? 'latest'],
    rows: [snapshot ?? tag ?? 'latest', where, start],
    columns: [snapshot ?? tag ?? 'latest'],
    count: [snapshot ?? tag ?? 'latest', exact && 'exact'],
    readable: [snapshot ?? tag ?? 'latest', damaged],
    live_files: [snapshot ?? tag ?? 'latest'],
    levels: [snapshot ?? tag ?? 'latest', bucket]
  };
  return [endpoint, ...(words[endpoint] ?? []), search]
    .filter(Boolean)
    .join(' ');
}

function page(names: string[], request: Listing): Page<{ name: string }> {
  const found = names.filter(name => name.includes(request.search ?? ''));
  const start = request.cursor ? found.indexOf(request.cursor) + 1 : 0;
  const shown = found.slice(start, start + (request.limit ?? 200));
  const more = start + shown.length < found.length;
  return {
    items: shown.map(name => ({ name })),
    next: more ? shown[shown.length - 1] : null,
    total: found.length,
    listed: names.length
  };
}

/** Wait until all pending answers arrived. */
export function settled(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve));
}
