const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;'
};

class SafeMarkup {
  constructor(readonly text: string) {}
}

/** Markup that may be parsed: only `html` makes it, and escapes what goes in. */
export type Markup = SafeMarkup;

export type Part =
  Markup | readonly Markup[] | string | number | false | null | undefined;

/** Any text as text of an element or of a quoted attribute. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, letter => ENTITIES[letter]);
}

/** A template whose parts are escaped, save for other markup; false and null leave nothing. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  let text = strings[0];
  parts.forEach((part, index) => {
    text += textOf(part) + strings[index + 1];
  });
  return new SafeMarkup(text);
}

function textOf(part: Part): string {
  if (part === false || part === null || part === undefined) {
    return '';
  }
  if (part instanceof SafeMarkup) {
    return part.text;
  }
  if (typeof part === 'object') {
    return part.map(markup => markup.text).join('');
  }
  return escape(String(part));
}
