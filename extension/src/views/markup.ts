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

/** Markup that is safe to parse: it is created only by `html`, which escapes all values. */
export type Markup = SafeMarkup;

export type Part =
  Markup | readonly Markup[] | string | number | false | null | undefined;

/** Escape a text for use in an element or a quoted attribute. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, letter => ENTITIES[letter]);
}

/** Return a template with escaped values; nested markup is kept as is, and false and null are omitted. */
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
