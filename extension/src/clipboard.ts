import { Clipboard, Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

/** Copy a text to the clipboard and show a notification. */
export function copyText(text: string, trans: TranslationBundle): void {
  Clipboard.copyToSystem(text);
  Notification.info(trans.__('Copied: %1', text), { autoClose: 2000 });
}
