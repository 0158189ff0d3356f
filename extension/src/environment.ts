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
  'Compares the environments of notebook kernels and the server.'
);

/** Shows a notice in the panel if the current notebook and the server use different environments. */
export class EnvironmentCheck {
  constructor(
    private readonly _source: ILakeSource,
    private readonly _tree: TreeModel,
    private readonly _notebooks: INotebookTracker,
    private readonly _trans: TranslationBundle
  ) {
    _notebooks.currentChanged.connect(() => this.check());
    _notebooks.widgetAdded.connect((_, panel) => {
      // Only an idle kernel can be queried, and a notebook may start to use the library at any time.
      panel.sessionContext.statusChanged.connect((_, status) => {
        if (status === 'idle' && panel === _notebooks.currentWidget) {
          this.check();
        } else if (status === 'restarting') {
          this._forget(panel);
        }
      });
    });
  }

  /** Check the current notebook, if it uses the library. */
  check(): void {
    const panel = this._notebooks.currentWidget;
    if (panel && usesWorkbench(panel)) {
      void this._check(panel);
    } else {
      this._show(null);
    }
  }

  private async _check(panel: NotebookPanel): Promise<void> {
    const kernel = panel.sessionContext.session?.kernel;
    // Query each kernel only once, regardless of the result: a query makes the kernel busy and then idle again.
    if (kernel?.status === 'idle' && !this._queried.has(kernel.id)) {
      this._queried.add(kernel.id);
      const notice = await this._compare(panel);
      if (notice !== null) {
        this._notices.set(kernel.id, notice);
      }
    }
    this._show(this._notices.get(kernel?.id ?? '') ?? null);
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
      return await this._source.read('environment', {});
    } catch (error) {
      if (error instanceof LakeError) {
        // There is nothing to compare with; the panel shows that the server does not respond.
        return null;
      }
      throw error;
    }
  }

  /** A restarted kernel may import a different version of the library. */
  private _forget(panel: NotebookPanel): void {
    const id = panel.sessionContext.session?.kernel?.id ?? '';
    this._queried.delete(id);
    this._notices.delete(id);
  }

  /** Show a notice only when it changes, so that a dismissed one does not return. */
  private _show(notice: string | null): void {
    if (notice !== this._shown) {
      this._shown = notice;
      this._tree.setNotice(notice);
    }
  }

  private _shown: string | null = null;
  private readonly _queried = new Set<string>();
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
      'This notebook’s kernel has no paimon-workbench in %1; the panel uses paimon-workbench %2 from %3.',
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
    'This notebook’s kernel uses paimon-workbench %1 from %2, but the panel uses %3 from %4; their pictures may differ.',
    kernel.version,
    from,
    server.version,
    to
  );
}
