import type { TranslationBundle } from '@jupyterlab/translation';
import { Texts } from '../views/texts';
import { ENGLISH, type Words } from '../views/words';

const translated = new WeakMap<TranslationBundle, Words>();
// Formats are slow to create.
const spoken = new WeakMap<TranslationBundle, Map<string, Texts>>();

/** Return the texts of the views in the language of the user. */
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

/** Return the texts and formats of the views for the rest of a table page. */
export function viewTexts(trans: TranslationBundle, zone = ''): Texts {
  const byZone = spoken.get(trans) ?? new Map<string, Texts>();
  spoken.set(trans, byZone);
  let texts = byZone.get(zone);
  if (!texts) {
    const locale = document.documentElement.lang || 'en';
    texts = new Texts(viewWords(trans), zone || undefined, locale);
    byZone.set(zone, texts);
  }
  return texts;
}
