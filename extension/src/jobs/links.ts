import { CodeCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { KernelMessage, type Kernel } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import { JOB_MIME, parseJob } from './job';

/** The target name of the comms that the kernel opens for running jobs. */
const TARGET = 'paimon-workbench.job';

/** Is notified when the kernel starts or stops running a job. */
export interface JobListener {
  linked(cancel: () => void): void;
  ended(): void;
}

/**
 * The jobs that a notebook's kernel is running; each has a comm with its id while it runs. The cards show the outputs
 * of cells. JupyterLab updates these outputs itself, except after the page was reloaded: then they are updated here.
 */
export class JobLinks {
  private readonly _comms = new Map<string, Kernel.IComm>();
  private readonly _listeners = new Map<string, Set<JobListener>>();
  private _asked: Kernel.IKernelConnection | null = null;
  private _isDisposed = false;

  constructor(private readonly _panel: NotebookPanel) {
    const { sessionContext } = _panel;
    sessionContext.kernelChanged.connect(this._onKernel, this);
    sessionContext.iopubMessage.connect(this._onMessage, this);
    sessionContext.statusChanged.connect(this._onStatus, this);
    this._onKernel();
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    const { sessionContext } = this._panel;
    sessionContext.kernelChanged.disconnect(this._onKernel, this);
    sessionContext.iopubMessage.disconnect(this._onMessage, this);
    sessionContext.statusChanged.disconnect(this._onStatus, this);
    this._listeners.clear();
    this._comms.clear();
  }

  /** Interrupt the cell that the kernel is running. */
  interrupt(): void {
    void this._kernel?.interrupt();
  }

  /** Listen to a job until the returned function is called. */
  join(id: string, listener: JobListener): () => void {
    const listeners = this._listeners.get(id) ?? new Set();
    this._listeners.set(id, listeners.add(listener));
    const comm = this._comms.get(id);
    if (comm) {
      listener.linked(() => this._cancel(comm));
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

  private get _kernel(): Kernel.IKernelConnection | null {
    return this._panel.sessionContext.session?.kernel ?? null;
  }

  /** Ask a kernel once which jobs it is running; it reports later jobs itself. */
  private async _ask(): Promise<void> {
    const kernel = this._kernel;
    if (!kernel || this._asked === kernel) {
      return;
    }
    this._asked = kernel;
    try {
      const { content } = await kernel.requestCommInfo({ target_name: TARGET });
      if (content.status === 'ok' && this._asked === kernel) {
        Object.keys(content.comms)
          .filter(id => !kernel.hasComm(id))
          .forEach(id => this._opened(kernel.createComm(TARGET, id)));
      }
    } catch (error) {
      // A kernel that ends or restarts cancels the request.
      if (this._asked === kernel && !kernel.isDisposed) {
        throw error;
      }
    }
  }

  private _opened(comm: Kernel.IComm): void {
    const { commId } = comm;
    this._comms.set(commId, comm);
    comm.onClose = () => this._ended(commId);
    this._of(commId).forEach(each => each.linked(() => this._cancel(comm)));
  }

  private _cancel(comm: Kernel.IComm): void {
    void comm.send({ action: 'cancel' }).done;
  }

  private _ended(id: string): void {
    this._comms.delete(id);
    this._of(id).forEach(each => each.ended());
  }

  private _endAll(): void {
    this._asked = null;
    [...this._comms.keys()].forEach(id => this._ended(id));
  }

  private _onKernel(): void {
    this._endAll();
    this._kernel?.registerCommTarget(TARGET, comm => this._opened(comm));
    if (this._listeners.size > 0) {
      void this._ask();
    }
  }

  private _onStatus(_: unknown, status: Kernel.Status): void {
    if (
      ['restarting', 'autorestarting', 'terminating', 'dead'].includes(status)
    ) {
      this._endAll();
    }
  }

  private _onMessage(_: unknown, message: KernelMessage.IMessage): void {
    if (KernelMessage.isUpdateDisplayDataMsg(message)) {
      const { data, metadata, transient } = message.content;
      const id = transient?.display_id;
      if (typeof id === 'string' && this._listeners.has(id)) {
        this._update(id, { output_type: 'display_data', data, metadata });
      }
    }
  }

  /** Replace the output of a job in cells that were not run since the page was loaded. */
  private _update(id: string, output: object): void {
    for (const cell of this._panel.content.widgets) {
      // JupyterLab itself updates the outputs of cells that were run.
      if (!(cell instanceof CodeCell) || cell.outputArea.future) {
        continue;
      }
      const { model } = cell.outputArea;
      for (let index = 0; index < model.length; index++) {
        const { data } = model.get(index);
        if (parseJob((data as JSONObject)[JOB_MIME])?.id === id) {
          model.set(index, output as Parameters<typeof model.set>[1]);
        }
      }
    }
  }

  private _of(id: string): readonly JobListener[] {
    return [...(this._listeners.get(id) ?? [])];
  }
}
