import type { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import type {
  CatalogValue,
  DatabaseValue,
  EnvironmentValue,
  LevelsValue,
  Page,
  SchemaHistoryValue,
  SummaryValue,
  TableEntryValue,
  TimelineValue
} from '../contract';
import type {
  BucketAsked,
  ILakeSource,
  Listing,
  NewCatalog,
  News,
  TableAsked,
  VersionAsked
} from '../source';
import type { TableName } from '../state/names';
import type { Version } from '../state/version';
import { NewsFeed } from './news';
import { Rest } from './rest';

/** The lake as the server extension `workbench.server` reads it. */
export class ServerSource implements ILakeSource {
  constructor(settings: ServerConnection.ISettings, trans: TranslationBundle) {
    this._rest = new Rest(settings, trans);
    this._news = new NewsFeed(settings);
  }

  environment(): Promise<EnvironmentValue> {
    return this._rest.get(['environment']);
  }

  async catalogs(): Promise<CatalogValue[]> {
    const answer = await this._rest.get<{ items: CatalogValue[] }>([
      'catalogs'
    ]);
    return answer.items;
  }

  addCatalog(catalog: NewCatalog): Promise<CatalogValue> {
    return this._rest.post(['catalogs'], catalog);
  }

  removeCatalog(name: string): Promise<void> {
    return this._rest.delete(['catalogs', name]);
  }

  databases(catalog: string, asked: Listing): Promise<Page<DatabaseValue>> {
    const path = ['catalogs', catalog, 'databases'];
    return this._rest.get(path, listing(asked), asked.signal);
  }

  tables(
    catalog: string,
    database: string,
    asked: Listing
  ): Promise<Page<TableEntryValue>> {
    const path = ['catalogs', catalog, 'databases', database, 'tables'];
    return this._rest.get(path, listing(asked), asked.signal);
  }

  summary({ name, version, signal }: VersionAsked): Promise<SummaryValue> {
    return this._rest.get(tablePath(name), versionQuery(version), signal);
  }

  schema({ name, version, signal }: VersionAsked): Promise<SchemaHistoryValue> {
    const path = [...tablePath(name), 'schema'];
    return this._rest.get(path, versionQuery(version), signal);
  }

  timeline(asked: TableAsked & Listing): Promise<TimelineValue> {
    const path = [...tablePath(asked.name), 'timeline'];
    return this._rest.get(path, listing(asked), asked.signal);
  }

  levels(asked: VersionAsked & Listing & BucketAsked): Promise<LevelsValue> {
    const path = [...tablePath(asked.name), 'levels'];
    const query = {
      ...versionQuery(asked.version),
      ...listing(asked),
      bucket: asked.bucket
    };
    return this._rest.get(path, query, asked.signal);
  }

  watch(name: TableName, listen: (news: News) => void): () => void {
    return this._news.watch(name, listen);
  }

  private readonly _rest: Rest;
  private readonly _news: NewsFeed;
}

function tablePath({ catalog, database, table }: TableName): string[] {
  return ['catalogs', catalog, 'databases', database, 'tables', table];
}

function listing({ search, cursor, limit }: Listing) {
  return { search, cursor, limit };
}

function versionQuery(version: Version): { snapshot?: string; tag?: string } {
  switch (version.kind) {
    case 'latest':
      return {};
    case 'snapshot':
      return { snapshot: version.id };
    case 'tag':
      return { tag: version.name };
  }
}
