import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';
import type { EnvironmentValue } from './contract';
import { kernelFacts, usesWorkbench } from './kernel';
import type { TreeModel } from './panel/model';
import { LakeError, type ILakeSource } from './source';
import {
  difference,
  type Difference,
  type KernelFacts
} from './state/environment';

export type IEnvironmentCheck = EnvironmentCheck;
export const IEnvironmentCheck = new Token<IEnvironmentCheck>(
  'paimon-workbench:IEnvironmentCheck',
  'Compares the environment of a notebook with that of the server.'
);

/** Tells in the panel when the notebook in use and the server read with different environments. */
export class EnvironmentCheck {
  constructor(
    private readonly _source: ILakeSource,
    private readonly _tree: TreeModel,
    private readonly _notebooks: INotebookTracker,
    private readonly _trans: TranslationBundle
  ) {
    _notebooks.currentChanged.connect(() => this.check());
    _notebooks.widgetAdded.connect((_, panel) => {
      // A kernel can be asked only once it idles, and a notebook may begin to use the library at any time.
      panel.sessionContext.statusChanged.connect((_, status) => {
        if (status === 'idle' && panel === _notebooks.currentWidget) {
          this.check();
        } else if (status === 'restarting') {
          this._forget(panel);
        }
      });
    });
  }

  /** Look at the notebook in use, if it uses the library. */
  check(): void {
    const panel = this._notebooks.currentWidget;
    if (panel && usesWorkbench(panel)) {
      void this._check(panel);
    } else {
      this._tell(null);
    }
  }

  private async _check(panel: NotebookPanel): Promise<void> {
    const kernel = panel.sessionContext.session?.kernel;
    // A kernel is asked once, whatever it answers: being asked makes it idle anew.
    if (kernel?.status === 'idle' && !this._asked.has(kernel.id)) {
      this._asked.add(kernel.id);
      const notice = await this._compare(panel);
      if (notice !== null) {
        this._notices.set(kernel.id, notice);
      }
    }
    this._tell(this._notices.get(kernel?.id ?? '') ?? null);
  }

  private async _compare(panel: NotebookPanel): Promise<string | null> {
    const facts = await kernelFacts(panel.sessionContext);
    const server = facts && (await this._serverEnvironment());
    const found = server && difference(facts.environment, server);
    return found
      ? noticeText(found, facts.environment, server, this._trans)
      : null;
  }

  private async _serverEnvironment(): Promise<EnvironmentValue | null> {
    try {
      return await this._source.environment();
    } catch (error) {
      if (error instanceof LakeError) {
        // Nothing to compare with; that the server does not answer is told in the panel.
        return null;
      }
      throw error;
    }
  }

  /** A kernel that starts again may find another library. */
  private _forget(panel: NotebookPanel): void {
    const id = panel.sessionContext.session?.kernel?.id ?? '';
    this._asked.delete(id);
    this._notices.delete(id);
  }

  /** Once only: a notice that the user dismissed does not come back while it says the same. */
  private _tell(notice: string | null): void {
    if (notice !== this._told) {
      this._told = notice;
      this._tree.setNotice(notice);
    }
  }

  private _told: string | null = null;
  private readonly _asked = new Set<string>();
  private readonly _notices = new Map<string, string>();
}

function noticeText(
  found: Difference,
  kernel: KernelFacts['environment'],
  server: EnvironmentValue,
  trans: TranslationBundle
): string {
  if (kernel.version === null) {
    return trans.__(
      'This notebook’s kernel has no paimon-workbench in %1; the panel reads with %2 from %3.',
      kernel.prefix,
      server.version,
      server.prefix
    );
  }
  const [from, to] =
    found === 'host'
      ? [`${kernel.host}:${kernel.prefix}`, `${server.host}:${server.prefix}`]
      : [kernel.prefix, server.prefix];
  return trans.__(
    'This notebook’s kernel uses paimon-workbench %1 from %2, the panel reads with %3 from %4; pictures may differ.',
    kernel.version,
    from,
    server.version,
    to
  );
}
