import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { JobCard } from './card';
import { isOpen, JOB_MIME, parseJob, type Job } from './job';
import type { JobListener } from './links';
import type { JobWords } from './words';

interface JobNeeds {
  readonly words: JobWords;
  /** Listen to a job of the notebook's kernel. */
  join(id: string, listener: JobListener): () => void;
  /** Interrupt the cell that the kernel is running. */
  interrupt(): void;
}

/** Ranks before the HTML in the same output, which is for front ends without this extension. */
const RANK = -20;

/** Draws a job as a card. */
export function jobRenderer(needs: JobNeeds): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [JOB_MIME],
    defaultRank: RANK,
    createRenderer: () => new JobRenderer(needs)
  };
}

class JobRenderer extends Widget implements IRenderMime.IRenderer {
  constructor(private readonly _needs: JobNeeds) {
    super();
    this._card = new JobCard(_needs.words);
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const job = parseJob(model.data[JOB_MIME]);
    if (!job) {
      this._leave();
      this.node.textContent = this._needs.words.otherVersion;
      return;
    }
    if (this._job?.id !== job.id) {
      this._leave();
      this.node.replaceChildren(this._card.node);
    }
    this._job = job;
    if (isOpen(job) && !this._end) {
      this._join(job);
    }
    this._draw();
  }

  dispose(): void {
    this._leave();
    super.dispose();
  }

  private _join(job: Job): void {
    this._end = this._needs.join(job.id, {
      linked: cancel => {
        this._cancel = cancel;
        this._draw();
      },
      ended: () => {
        this._cancel = null;
        this._draw();
      }
    });
  }

  private _draw(): void {
    const job = this._job;
    const cancel = this._cancel;
    if (job) {
      this._card.update(job, {
        isLinked: cancel !== null,
        // While a cell waits for its job, the kernel handles no comm messages; interrupt the cell instead.
        cancel: () =>
          job.number === null ? this._needs.interrupt() : cancel?.()
      });
    }
  }

  private _leave(): void {
    this._end?.();
    this._end = null;
    this._cancel = null;
    this._job = null;
  }

  private readonly _card: JobCard;
  private _job: Job | null = null;
  private _cancel: (() => void) | null = null;
  private _end: (() => void) | null = null;
}
