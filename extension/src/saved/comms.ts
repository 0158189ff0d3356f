import type { ISessionContext } from '@jupyterlab/apputils';
import { KernelMessage, type Kernel } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';

const TARGET = 'jupyter.widget';
const RESTARTS: readonly Kernel.Status[] = ['restarting', 'autorestarting'];
const ENDINGS: readonly Kernel.Status[] = ['terminating', 'dead'];

/** Is notified of what happens to one widget of the kernel. */
export interface Listener {
  /** Called when the kernel has the widget: its state follows, and `send` reaches it. */
  opened(send: (event: unknown) => void): void;
  changed(state: Record<string, unknown>): void;
  /** Called when the kernel no longer has the widget, possibly because it restarted. */
  closed(restarted: boolean): void;
}

/**
 * The widgets in the kernel of a notebook. Pictures only listen to their messages: the comms themselves belong to the
 * widget manager, which runs alongside.
 */
export class WidgetComms {
  private readonly _listeners = new Map<string, Set<Listener>>();
  private readonly _alive = new Set<string>();
  private _asked: Kernel.IKernelConnection | null = null;
  private _isDisposed = false;

  constructor(private readonly _context: ISessionContext) {
    _context.iopubMessage.connect(this._onMessage, this);
    _context.statusChanged.connect(this._onStatus, this);
    _context.kernelChanged.connect(this._onKernel, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._context.iopubMessage.disconnect(this._onMessage, this);
    this._context.statusChanged.disconnect(this._onStatus, this);
    this._context.kernelChanged.disconnect(this._onKernel, this);
    this._listeners.clear();
  }

  /** Listen to a widget until the returned function is called. */
  join(id: string, listener: Listener): () => void {
    const listeners = this._listeners.get(id) ?? new Set();
    this._listeners.set(id, listeners.add(listener));
    if (this._alive.has(id)) {
      this._open(id, [listener]);
    } else {
      void this._ask();
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) {
        this._listeners.delete(id);
      }
    };
  }

  /** Ask a kernel once which widgets it has; it reports later widgets itself. */
  private async _ask(): Promise<void> {
    const kernel = this._context.session?.kernel;
    if (!kernel || this._asked === kernel || this._listeners.size === 0) {
      return;
    }
    this._asked = kernel;
    try {
      const { content } = await kernel.requestCommInfo({ target_name: TARGET });
      if (content.status === 'ok' && this._asked === kernel) {
        Object.keys(content.comms).forEach(id => this._found(id));
      }
    } catch (error) {
      // A kernel that ends or restarts cancels the request.
      if (this._asked === kernel && !kernel.isDisposed) {
        throw error;
      }
    }
  }

  private _found(id: string): void {
    if (!this._alive.has(id)) {
      this._alive.add(id);
      this._open(id, this._of(id));
    }
  }

  private _open(id: string, listeners: readonly Listener[]): void {
    if (listeners.length > 0) {
      const send = (content: unknown) =>
        this._send(id, { method: 'custom', content } as JSONObject);
      listeners.forEach(listener => listener.opened(send));
      this._send(id, { method: 'request_state' });
    }
  }

  private _send(id: string, data: JSONObject): void {
    const kernel = this._context.session?.kernel;
    kernel?.sendShellMessage(
      KernelMessage.createMessage<KernelMessage.ICommMsgMsg<'shell'>>({
        msgType: 'comm_msg',
        channel: 'shell',
        username: kernel.username,
        session: kernel.clientId,
        content: { comm_id: id, data }
      }),
      false,
      true
    );
  }

  private _onMessage(_: unknown, message: KernelMessage.IMessage): void {
    if (KernelMessage.isCommOpenMsg(message)) {
      if (message.content.target_name === TARGET) {
        this._found(message.content.comm_id);
      }
    } else if (KernelMessage.isCommCloseMsg(message)) {
      this._close(message.content.comm_id, false);
    } else if (KernelMessage.isCommMsgMsg(message)) {
      const { comm_id, data } = message.content;
      if (data.method === 'update') {
        const state = data.state as Record<string, unknown>;
        this._of(comm_id).forEach(listener => listener.changed(state));
      }
    }
  }

  private _onStatus(_: unknown, status: Kernel.Status): void {
    const restarted = RESTARTS.includes(status);
    if (restarted || ENDINGS.includes(status)) {
      this._closeAll(restarted);
    }
  }

  private _onKernel(): void {
    this._closeAll(false);
    void this._ask();
  }

  private _closeAll(restarted: boolean): void {
    this._asked = null;
    [...this._alive].forEach(id => this._close(id, restarted));
  }

  private _close(id: string, restarted: boolean): void {
    this._alive.delete(id);
    this._of(id).forEach(listener => listener.closed(restarted));
  }

  private _of(id: string): readonly Listener[] {
    return [...(this._listeners.get(id) ?? [])];
  }
}
