import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ErrorValue } from '../contract';
import { LakeError } from '../source';

const BASE = 'paimon-workbench';
/** How many answers are kept, to be shown again when the server says that they still hold. */
const KEPT_ANSWERS = 64;

interface Answer {
  readonly tag: string;
  readonly value: unknown;
}

type Query = Readonly<Record<string, string | number | null | undefined>>;

/** The REST side of the server extension: addresses, conditional requests, errors. */
export class Rest {
  constructor(
    private readonly _settings: ServerConnection.ISettings,
    private readonly _trans: TranslationBundle
  ) {}

  async get<T>(
    path: readonly string[],
    query: Query = {},
    signal?: AbortSignal
  ): Promise<T> {
    const url = this._url(path) + queryText(query);
    const kept = this._answers.get(url);
    const headers = kept ? { 'If-None-Match': kept.tag } : undefined;
    const response = await this._request(url, { headers, signal });
    if (kept && response.status === 304) {
      return kept.value as T;
    }
    const value = (await this._checked(response)) as T;
    this._keep(url, response.headers.get('ETag'), value);
    return value;
  }

  async post<T>(path: readonly string[], body: object): Promise<T> {
    const asked = { method: 'POST', body: JSON.stringify(body) };
    const response = await this._request(this._url(path), asked);
    return (await this._checked(response)) as T;
  }

  async delete(path: readonly string[]): Promise<void> {
    const url = this._url(path);
    const response = await this._request(url, { method: 'DELETE' });
    await this._checked(response);
  }

  private _url(path: readonly string[]): string {
    const parts = path.map(part => encodeURIComponent(part)).join('/');
    // Joined by hand: the parts are encoded, nothing in them is a way up.
    return `${URLExt.join(this._settings.baseUrl, BASE)}/${parts}`;
  }

  private async _request(url: string, asked: RequestInit): Promise<Response> {
    try {
      // Any other way of caching adds a parameter to the address, or keeps answers that nobody asked about again.
      const request: RequestInit = { ...asked, cache: 'no-cache' };
      return await ServerConnection.makeRequest(url, request, this._settings);
    } catch {
      if (asked.signal?.aborted) {
        throw new DOMException('The request was cancelled.', 'AbortError');
      }
      throw new LakeError({
        code: 'no_answer',
        message: this._trans.__('The Jupyter server does not answer.'),
        hint: this._trans.__('See whether it still runs, then try again.')
      });
    }
  }

  private async _checked(response: Response): Promise<unknown> {
    const text = await response.text();
    if (!response.ok) {
      throw new LakeError(this._errorOf(response, text));
    }
    return text ? JSON.parse(text) : null;
  }

  /** The server's own words; where it has none, its extension or a proxy in between is amiss. */
  private _errorOf(response: Response, text: string): ErrorValue {
    const { status, statusText } = response;
    const value = parsed(text);
    if (value?.code && value.message) {
      return {
        code: value.code,
        message: value.message,
        hint: value.hint ?? null
      };
    }
    return {
      code: `http_${status}`,
      message: this._trans.__('The server answered %1 %2.', status, statusText),
      hint:
        status === 404
          ? this._trans.__(
              'See whether “jupyter server extension list” has workbench.server.'
            )
          : null
    };
  }

  private _keep(url: string, tag: string | null, value: unknown): void {
    this._answers.delete(url);
    if (tag === null) {
      return;
    }
    this._answers.set(url, { tag, value });
    if (this._answers.size > KEPT_ANSWERS) {
      const [oldest] = this._answers.keys();
      this._answers.delete(oldest);
    }
  }

  private readonly _answers = new Map<string, Answer>();
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== ''
  );
  const text = new URLSearchParams(
    given.map(([key, value]): [string, string] => [key, String(value)])
  ).toString();
  return text && `?${text}`;
}

function parsed(text: string): Partial<ErrorValue> | null {
  try {
    return JSON.parse(text) as Partial<ErrorValue> | null;
  } catch {
    // Not an answer of the extension.
    return null;
  }
}
