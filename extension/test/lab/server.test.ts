import type { ServerConnection } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NewsFeed } from '../../src/server/news';
import { ServerSource } from '../../src/server/serverSource';
import { errorValue, wasCancelled } from '../../src/source';

const made = vi.hoisted(() => ({ request: vi.fn() }));

// JupyterLab's own modules need a browser; these tests need only little of them.
vi.mock('@jupyterlab/services', () => ({
  ServerConnection: { makeRequest: made.request }
}));
vi.mock('@jupyterlab/coreutils', () => ({
  URLExt: { join: (...parts: string[]) => parts.join('/') }
}));

const trans = {
  __: (text: string, ...values: unknown[]) =>
    text.replace(/%(\d)/g, (_, at) => String(values[Number(at) - 1]))
} as unknown as TranslationBundle;
const name = { catalog: 'a/b', database: 'ü', table: '<img>?#' };

describe('the REST client', () => {
  const settings = { baseUrl: '/lab' } as ServerConnection.ISettings;
  let source: ServerSource;
  const answer = (value: unknown, init: ResponseInit = {}) =>
    made.request.mockResolvedValueOnce(
      new Response(value === null ? null : JSON.stringify(value), init)
    );
  const asked = (call = 0) => made.request.mock.calls[call];

  beforeEach(() => {
    made.request.mockReset();
    source = new ServerSource(settings, trans);
  });

  it('encodes all names', async () => {
    answer({});
    await source.read('levels', { ...name, tag: 'v&1', bucket: '00ff:1' });
    expect(asked()[0]).toBe(
      '/lab/paimon-workbench/catalogs/a%2Fb/databases/%C3%BC/tables/' +
        '%3Cimg%3E%3F%23/levels?tag=v%261&bucket=00ff%3A1'
    );
  });

  it('sends what is not in the path as the body of a POST', async () => {
    answer({ name: 'x' }, { status: 201 });
    const options = { warehouse: '/x' };
    const catalog = { name: 'x', options, remember: false };
    await source.read('add_catalog', catalog);
    const [url, init] = asked() as [string, RequestInit];
    expect([url, init.method]).toEqual([
      '/lab/paimon-workbench/catalogs',
      'POST'
    ]);
    expect(JSON.parse(String(init.body))).toEqual(catalog);
    answer(null, { status: 204 });
    await source.read('remove_catalog', { catalog: 'a/b' });
    expect(asked(1)[0]).toBe('/lab/paimon-workbench/catalogs/a%2Fb');
    expect(asked(1)[1]).toMatchObject({ method: 'DELETE' });
  });

  it('shows an answer again that still holds', async () => {
    answer({ rows: '7' }, { headers: { ETag: '"12"' } });
    const first = await source.read('summary', name);
    answer(null, { status: 304 });
    expect(await source.read('summary', name)).toBe(first);
    expect(asked(1)[1].headers).toEqual({ 'If-None-Match': '"12"' });
    answer({ rows: '8' });
    await source.read('summary', { ...name, snapshot: '3' });
    expect(asked(2)[1].headers).toBeUndefined();
  });

  it('tells what the server says of an error', async () => {
    const said = {
      code: 'corrupt_file',
      message: 'Torn.',
      hint: 'Mend it.',
      file: '/t'
    };
    answer(said, { status: 422 });
    const failed = source.read('catalogs', {}).catch(errorValue);
    expect(await failed).toEqual(said);
  });

  it('has words where the server has none', async () => {
    answer('<html>', { status: 404, statusText: 'Not Found' });
    const failed = await source.read('catalogs', {}).catch(errorValue);
    expect(failed).toMatchObject({ code: 'http_404' });
    made.request.mockRejectedValueOnce(new TypeError('Failed to fetch'));
    const silent = await source.read('catalogs', {}).catch(errorValue);
    expect(silent).toMatchObject({ code: 'no_answer' });
  });

  it('is silent about what was cancelled', async () => {
    const load = new AbortController();
    load.abort();
    made.request.mockRejectedValueOnce(new TypeError('aborted'));
    const asking = source.read('databases', { catalog: 'a' }, load.signal);
    expect(wasCancelled(await asking.catch(error => error))).toBe(true);
  });
});

describe('the news', () => {
  const sockets: FakeSocket[] = [];
  class FakeSocket {
    readyState = 0;
    sent: string[] = [];
    onopen = () => undefined;
    onclose = () => undefined;
    onmessage: (event: { data: string }) => void = () => undefined;
    constructor(readonly url: string) {
      sockets.push(this);
    }
    open() {
      this.readyState = 1;
      this.onopen();
    }
    send(text: string) {
      this.sent.push(text);
    }
    close() {
      this.readyState = 3;
      this.onclose();
    }
    hear(message: object) {
      this.onmessage({ data: JSON.stringify(message) });
    }
  }
  const feed = () =>
    new NewsFeed({
      wsUrl: 'ws://here',
      token: 'a b',
      appendToken: true,
      WebSocket: FakeSocket
    } as unknown as ServerConnection.ISettings);

  beforeEach(() => {
    sockets.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('says what is watched, and hands each page its own', () => {
    const news = feed();
    const heard = vi.fn();
    const other = { ...name, table: 'other' };
    news.watch(name, heard);
    sockets[0].open();
    news.watch(other, () => undefined);
    expect(sockets[0].url).toBe('ws://here/paimon-workbench/news?token=a%20b');
    expect(sockets[0].sent.map(text => JSON.parse(text).watch)).toEqual([
      [name],
      [name, other]
    ]);
    sockets[0].hear({ kind: 'snapshot', ...other, snapshot: '1' });
    expect(heard).not.toHaveBeenCalled();
    sockets[0].hear({ kind: 'snapshot', ...name, snapshot: '2' });
    expect(heard).toHaveBeenCalledWith({
      kind: 'snapshot',
      ...name,
      snapshot: '2'
    });
  });

  it('opens the socket again, later and later, until it holds', () => {
    const news = feed();
    news.watch(name, () => undefined);
    sockets[0].close();
    vi.advanceTimersByTime(1000);
    sockets[1].close();
    vi.advanceTimersByTime(1000);
    expect(sockets).toHaveLength(2);
    vi.advanceTimersByTime(1000);
    expect(sockets).toHaveLength(3);
    sockets[2].open();
    expect(sockets[2].sent).toHaveLength(1);
  });

  it('closes the socket when nothing is watched, for good', () => {
    const news = feed();
    const stop = news.watch(name, () => undefined);
    sockets[0].open();
    stop();
    expect(sockets[0].readyState).toBe(3);
    vi.advanceTimersByTime(60000);
    expect(sockets).toHaveLength(1);
  });
});
