import type { TranslationBundle } from '@jupyterlab/translation';
import { ENGLISH, type Words } from '../views/words';

const translated = new WeakMap<TranslationBundle, Words>();

/** Return the texts of the views in the user's language. */
export function viewWords(trans: TranslationBundle): Words {
  let words = translated.get(trans);
  if (!words) {
    words = Object.fromEntries(
      // The dictionary of the views is the only source of these texts.
      // eslint-disable-next-line jupyter/no-dynamic-translation
      Object.entries(ENGLISH).map(([key, text]) => [key, trans.gettext(text)])
    ) as Words;
    translated.set(trans, words);
  }
  return words;
}
