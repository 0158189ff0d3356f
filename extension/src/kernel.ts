import type { ISessionContext } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { KernelMessage } from '@jupyterlab/services';
import {
  FACTS_EXPRESSION,
  parseFacts,
  type KernelFacts
} from './state/environment';

/** Ask an idle Python kernel about itself, unseen; null where there is none to ask. */
export async function kernelFacts(
  context: ISessionContext
): Promise<KernelFacts | null> {
  const kernel = context.session?.kernel;
  if (!kernel || kernel.status !== 'idle' || !(await isPython(context))) {
    return null;
  }
  const asked = kernel.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    user_expressions: { facts: FACTS_EXPRESSION }
  });
  try {
    const reply = await asked.done;
    return reply ? factsOf(reply.content) : null;
  } catch (error) {
    if (kernel.isDisposed || asked.isDisposed) {
      // It was shut down or started again meanwhile: there is nobody to answer.
      return null;
    }
    throw error;
  }
}

async function isPython(context: ISessionContext): Promise<boolean> {
  const info = await context.session?.kernel?.info;
  return info?.language_info.name === 'python';
}

function factsOf(
  content: KernelMessage.IExecuteReplyMsg['content']
): KernelFacts | null {
  if (content.status !== 'ok') {
    return null;
  }
  const answer = content.user_expressions?.facts as
    { status: string; data?: Record<string, string> } | undefined;
  const text = answer?.data?.['text/plain'];
  return answer?.status === 'ok' && text ? parseFacts(text) : null;
}

/** Whether a notebook works with this library, as its cells say. */
export function usesWorkbench(panel: NotebookPanel): boolean {
  const use = /\bimport workbench\b|%load_ext workbench\b|%paimon\b/;
  return codeOf(panel).some(source => use.test(source));
}

/** The sources of a notebook's code cells. */
export function codeOf(panel: NotebookPanel): string[] {
  const cells = Array.from(panel.content.model?.cells ?? []);
  return cells
    .filter(cell => cell.type === 'code')
    .map(cell => cell.sharedModel.getSource());
}
