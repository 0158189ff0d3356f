import type {
  CatalogValue,
  LevelsValue,
  Page,
  SchemaHistoryValue,
  SummaryValue,
  TimelineValue
} from '../../src/contract';
import {
  LakeError,
  type BucketAsked,
  type ILakeSource,
  type Listing,
  type NewCatalog,
  type News,
  type TableAsked,
  type VersionAsked
} from '../../src/source';
import type { TableName } from '../../src/state/names';
import { versionText } from '../../src/state/version';

type Tables = Record<string, Record<string, string[]>>;

/** A lake in memory: names by catalog and database, one history of `newest` snapshots for every table. */
export class FakeSource implements ILakeSource {
  newest = 3;
  broken = new Set<string>();
  asked: string[] = [];
  watchers = new Set<(news: News) => void>();

  constructor(public names: Tables) {}

  environment() {
    return Promise.resolve({
      version: '1',
      python: '/p/bin/python',
      prefix: '/p',
      host: 'here'
    });
  }

  catalogs(): Promise<CatalogValue[]> {
    return Promise.resolve(
      Object.keys(this.names).map(name => ({
        name,
        warehouse: `/data/${name}`,
        metastore: 'filesystem',
        origin: 'user' as const
      }))
    );
  }

  async addCatalog({ name, warehouse }: NewCatalog): Promise<CatalogValue> {
    this.names[name] = { first: ['one'] };
    return { name, warehouse, metastore: 'filesystem', origin: 'session' };
  }

  async removeCatalog(name: string): Promise<void> {
    delete this.names[name];
  }

  async databases(catalog: string, asked: Listing) {
    this._note(`databases ${catalog}`, asked);
    return page(Object.keys(this.names[catalog]), asked);
  }

  async tables(catalog: string, database: string, asked: Listing) {
    this._note(`tables ${catalog}.${database}`, asked);
    return page(this.names[catalog][database], asked);
  }

  async summary({ name, version }: VersionAsked): Promise<SummaryValue> {
    this._note(`summary ${versionText(version)}`);
    const snapshot =
      version.kind === 'snapshot' ? version.id : String(this.newest);
    return {
      table: `${name.database}.${name.table}`,
      snapshot,
      earliest_snapshot: '1',
      latest_snapshot: String(this.newest)
    } as SummaryValue;
  }

  async schema({ version }: VersionAsked): Promise<SchemaHistoryValue> {
    this._note(`schema ${versionText(version)}`);
    return { table: '', current: '0', versions: [] };
  }

  async timeline(asked: TableAsked & Listing): Promise<TimelineValue> {
    this._note('timeline', asked);
    const ids = Array.from({ length: this.newest }, (_, at) => String(at + 1));
    const { items, next, total } = page(ids.reverse(), { limit: 2, ...asked });
    const snapshots = items.map(({ name }) => ({
      id: name,
      kind: 'APPEND',
      time_millis: '0',
      tags: name === '1' ? ['first'] : []
    })) as unknown as TimelineValue['snapshots'];
    return { table: '', zone: 'UTC', snapshots, tags: [], total, next };
  }

  async levels(asked: VersionAsked & Listing & BucketAsked) {
    this._note(`levels ${versionText(asked.version)} ${asked.bucket ?? ''}`);
    const bucket = asked.bucket ? { id: asked.bucket } : null;
    return {
      buckets: [],
      next: null,
      total: 0,
      bucket
    } as unknown as LevelsValue;
  }

  watch(_name: TableName, listen: (news: News) => void): () => void {
    this.watchers.add(listen);
    return () => this.watchers.delete(listen);
  }

  /** A commit that watchers are told of. */
  commit(): void {
    this.newest += 1;
    const snapshot = String(this.newest);
    this.watchers.forEach(listen => listen({ kind: 'snapshot', snapshot }));
  }

  private _note(what: string, asked: Listing = {}): void {
    this.asked.push(asked.search ? `${what} ${asked.search}` : what);
    if (asked.signal?.aborted) {
      throw new DOMException('The request was cancelled.', 'AbortError');
    }
    const broken = [...this.broken].find(each => what.startsWith(each));
    if (broken) {
      const message = `${broken} is broken.`;
      throw new LakeError({ code: 'corrupt_file', message, hint: null });
    }
  }
}

function page(names: string[], asked: Listing): Page<{ name: string }> {
  const found = names.filter(name => name.includes(asked.search ?? ''));
  const start = asked.cursor ? found.indexOf(asked.cursor) + 1 : 0;
  const shown = found.slice(start, start + (asked.limit ?? 200));
  const more = start + shown.length < found.length;
  return {
    items: shown.map(name => ({ name })),
    next: more ? shown[shown.length - 1] : null,
    total: found.length
  };
}

/** Lets all answers that are under way arrive. */
export function settled(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve));
}
