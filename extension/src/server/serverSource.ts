import type { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ILakeSource, News, Read } from '../source';
import type { TableName } from '../state/names';
import { NewsFeed } from './news';
import { Rest } from './rest';

/** Reads the lake through the server extension `workbench.server`. */
export class ServerSource implements ILakeSource {
  constructor(settings: ServerConnection.ISettings, trans: TranslationBundle) {
    this._rest = new Rest(settings, trans);
    this._news = new NewsFeed(settings);
  }

  readonly read: Read = (endpoint, request, signal) =>
    this._rest.read(endpoint, request, signal);

  watch(name: TableName, listen: (news: News) => void): () => void {
    return this._news.watch(name, listen);
  }

  private readonly _rest: Rest;
  private readonly _news: NewsFeed;
}
