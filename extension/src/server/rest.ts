import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  ENDPOINTS,
  type ErrorValue,
  type Requests,
  type Responses
} from '../contract';
import { LakeError, type Endpoint } from '../source';

const BASE = 'paimon-workbench';
/** The number of responses that are kept for conditional requests. */
const KEPT_ANSWERS = 64;

interface Answer {
  readonly tag: string;
  readonly value: unknown;
}

type Parameters = Readonly<Record<string, unknown>>;

/** The REST client of the server extension: URLs, conditional requests and errors. */
export class Rest {
  constructor(
    private readonly _settings: ServerConnection.ISettings,
    private readonly _trans: TranslationBundle
  ) {}

  async read<E extends Endpoint>(
    endpoint: E,
    request: Requests[E],
    signal?: AbortSignal
  ): Promise<Responses[E]> {
    const { method, path } = ENDPOINTS[endpoint];
    const { url, rest } = this._url(path, { ...request });
    switch (method) {
      case 'GET':
        return this._get(url + queryText(rest), signal) as Promise<
          Responses[E]
        >;
      case 'POST':
        return this._send(url, { method, body: JSON.stringify(rest), signal });
      case 'DELETE':
        return this._send(url, { method, signal });
    }
  }

  private async _get(url: string, signal?: AbortSignal): Promise<unknown> {
    const kept = this._answers.get(url);
    const headers = kept ? { 'If-None-Match': kept.tag } : undefined;
    const response = await this._request(url, { headers, signal });
    if (kept && response.status === 304) {
      return kept.value;
    }
    const value = await this._checked(response);
    this._keep(url, response.headers.get('ETag'), value);
    return value;
  }

  private async _send<T>(url: string, init: RequestInit): Promise<T> {
    return (await this._checked(await this._request(url, init))) as T;
  }

  /** Return the URL of an endpoint, and the parameters that are not part of its path. */
  private _url(
    path: string,
    parameters: Parameters
  ): { readonly url: string; readonly rest: Parameters } {
    const rest = { ...parameters };
    const parts = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(rest[name]);
      delete rest[name];
      return encodeURIComponent(value);
    });
    // Joined by hand, so that encoded names are not normalized as relative paths.
    const url = `${URLExt.join(this._settings.baseUrl, BASE)}/${parts}`;
    return { url, rest };
  }

  private async _request(url: string, init: RequestInit): Promise<Response> {
    try {
      // Other cache modes add a parameter to the URL or return responses without revalidation.
      const request: RequestInit = { ...init, cache: 'no-cache' };
      return await ServerConnection.makeRequest(url, request, this._settings);
    } catch {
      if (init.signal?.aborted) {
        throw new DOMException('The request was canceled.', 'AbortError');
      }
      throw new LakeError({
        code: 'no_answer',
        message: this._trans.__('The Jupyter server does not respond.'),
        hint: this._trans.__('Check that it is running, then try again.'),
        file: null
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

  /** Return the error in a response; if there is none, the server extension or a proxy is misconfigured. */
  private _errorOf(response: Response, text: string): ErrorValue {
    const { status, statusText } = response;
    const value = parsed(text);
    if (value?.code && value.message) {
      return {
        code: value.code,
        message: value.message,
        hint: value.hint ?? null,
        file: value.file ?? null
      };
    }
    return {
      code: `http_${status}`,
      message: this._trans.__(
        'The server responded with %1 %2.',
        status,
        statusText
      ),
      hint:
        status === 404
          ? this._trans.__(
              'Check that “jupyter server extension list” lists workbench.server.'
            )
          : null,
      file: null
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

function queryText(parameters: Parameters): string {
  const given = Object.entries(parameters).filter(
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
    // The response is not from the server extension.
    return null;
  }
}
