import { URLExt } from '@jupyterlab/coreutils';
import type { ServerConnection } from '@jupyterlab/services';
import type { News } from '../source';
import { tableKey, type TableName } from '../state/names';

const FIRST_WAIT_MILLIS = 1000;
const MAX_WAIT_MILLIS = 30000;

type Listener = (news: News) => void;
type Message = TableName & News;

interface Watched {
  readonly name: TableName;
  readonly listeners: Set<Listener>;
}

/**
 * The WebSocket that reports new snapshots. It is open while a table is watched, and reopens after a lost connection.
 */
export class NewsFeed {
  constructor(private readonly _settings: ServerConnection.ISettings) {}

  watch(name: TableName, listen: Listener): () => void {
    const key = tableKey(name);
    const watched = this._watched.get(key) ?? { name, listeners: new Set() };
    this._watched.set(key, watched);
    watched.listeners.add(listen);
    this._notifyServer();
    return () => {
      watched.listeners.delete(listen);
      if (watched.listeners.size === 0 && this._watched.get(key) === watched) {
        this._watched.delete(key);
        this._notifyServer();
      }
    };
  }

  private _notifyServer(): void {
    if (this._watched.size === 0) {
      this._close();
    } else if (this._socket === null) {
      this._open();
    } else if (this._socket.readyState === WebSocket.OPEN) {
      this._sendWatched(this._socket);
    }
  }

  private _open(): void {
    const { wsUrl, token, appendToken, WebSocket: Socket } = this._settings;
    const url = URLExt.join(wsUrl, 'paimon-workbench', 'news');
    const secret = encodeURIComponent(token);
    const query = appendToken && token ? `?token=${secret}` : '';
    const socket = new Socket(url + query);
    this._socket = socket;
    socket.onopen = () => {
      this._wait = FIRST_WAIT_MILLIS;
      this._sendWatched(socket);
    };
    socket.onmessage = event =>
      this._onMessage(JSON.parse(event.data) as Message);
    socket.onclose = () => {
      if (this._socket === socket) {
        this._openLater();
      }
    };
  }

  private _openLater(): void {
    this._timer = window.setTimeout(() => this._open(), this._wait);
    this._wait = Math.min(this._wait * 2, MAX_WAIT_MILLIS);
  }

  private _close(): void {
    window.clearTimeout(this._timer);
    const socket = this._socket;
    this._socket = null;
    socket?.close();
  }

  private _sendWatched(socket: WebSocket): void {
    const watch = [...this._watched.values()].map(watched => watched.name);
    socket.send(JSON.stringify({ watch }));
  }

  private _onMessage(message: Message): void {
    const watched = this._watched.get(tableKey(message));
    [...(watched?.listeners ?? [])].forEach(listen => listen(message));
  }

  private readonly _watched = new Map<string, Watched>();
  /** The current socket; a closed one stays here until the next one is opened. */
  private _socket: WebSocket | null = null;
  private _timer = 0;
  private _wait = FIRST_WAIT_MILLIS;
}
