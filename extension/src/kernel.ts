import type { ISessionContext } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { KernelMessage } from '@jupyterlab/services';
import {
  FACTS_EXPRESSION,
  parseFacts,
  type KernelFacts
} from './state/environment';

/** Query the facts of an idle Python kernel silently; return null if there is no such kernel. */
export async function kernelFacts(
  context: ISessionContext
): Promise<KernelFacts | null> {
  const text = await evaluated(context, FACTS_EXPRESSION);
  return text === null ? null : parseFacts(text);
}

/** Evaluate an expression in an idle Python kernel silently; return its repr, or null if there is no such kernel. */
export async function evaluated(
  context: ISessionContext,
  expression: string
): Promise<string | null> {
  const kernel = context.session?.kernel;
  if (!kernel || kernel.status !== 'idle' || !(await isPython(context))) {
    return null;
  }
  const request = kernel.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    user_expressions: { value: expression }
  });
  try {
    const reply = await request.done;
    return reply ? reprOf(reply.content) : null;
  } catch (error) {
    if (kernel.isDisposed || request.isDisposed) {
      // The kernel was shut down or restarted in the meantime.
      return null;
    }
    throw error;
  }
}

async function isPython(context: ISessionContext): Promise<boolean> {
  const info = await context.session?.kernel?.info;
  return info?.language_info.name === 'python';
}

function reprOf(
  content: KernelMessage.IExecuteReplyMsg['content']
): string | null {
  if (content.status !== 'ok') {
    return null;
  }
  const answer = content.user_expressions?.value as
    { status: string; data?: Record<string, string> } | undefined;
  const text = answer?.data?.['text/plain'];
  return answer?.status === 'ok' && text ? text : null;
}

/** Return whether the cells of a notebook use this library. */
export function usesWorkbench(panel: NotebookPanel): boolean {
  const use = /\bimport workbench\b|%load_ext workbench\b|%paimon\b/;
  return codeOf(panel).some(source => use.test(source));
}

/** Return the sources of a notebook's code cells. */
export function codeOf(panel: NotebookPanel): string[] {
  const cells = Array.from(panel.content.model?.cells ?? []);
  return cells
    .filter(cell => cell.type === 'code')
    .map(cell => cell.sharedModel.getSource());
}
