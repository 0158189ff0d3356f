import type { BiographyValue, SummaryValue } from '../../contract';
import { html, type Markup } from '../markup';
import type { Texts } from '../texts';

const TRACKED = 'row-tracking.enabled';

/** The inputs that find a row of a table: the columns of its key, or a condition; null if rows have no identity. */
export type RowForm =
  | {
      readonly columns: readonly {
        readonly name: string;
        readonly type: string;
        readonly text: string;
      }[];
    }
  | { readonly where: string };

/** Return the form with which a reader can leave a biography for that of another row. */
export function formOfValue({ fields, key }: BiographyValue): RowForm {
  const byName = new Map(fields.map(field => [field.name, field]));
  // A row that was found by a condition has a row id in place of a key.
  const isKeyed =
    fields.length === 0 || key.every(({ name }) => byName.get(name)?.key);
  return isKeyed
    ? {
        columns: key.map(({ name, text }) => ({
          name,
          text,
          type: byName.get(name)?.type ?? ''
        }))
      }
    : { where: '' };
}

/** Return the form for a row of a table, filled with the previous input. */
export function formOfTable(
  { primary_key, fields, options }: SummaryValue,
  asked: { readonly row: string | null; readonly where: string | null }
): RowForm | null {
  if (primary_key.length > 0) {
    const texts = textsOfKey(asked.row);
    const columns = primary_key.map(name => ({
      name,
      text: texts[name] ?? '',
      type: fields.find(field => field.name === name)?.type ?? ''
    }));
    return { columns };
  }
  const isTracked = options.some(
    ({ key, value }) => key === TRACKED && value.toLowerCase() === 'true'
  );
  return isTracked ? { where: asked.where ?? '' } : null;
}

/**
 * Return the values in a key that is a JSON object; empty if it is invalid, because the server reports what is wrong.
 */
function textsOfKey(row: string | null): Record<string, string> {
  try {
    const key = JSON.parse(row ?? '{}') as object;
    return Object.fromEntries(
      Object.entries(key).map(([name, text]) => [name, String(text)])
    );
  } catch {
    return {};
  }
}

/** Return the inputs for the key of a row, or for the condition that selects it. */
export function formMarkup(form: RowForm, texts: Texts): Markup {
  const inputs =
    'where' in form
      ? html`<label class="pwv-row-where"
          >${texts.format('biographyWhere')}
          <input
            name="where"
            value="${form.where}"
            spellcheck="false"
            placeholder="id = 50"
            required
            data-focus="where"
        /></label>`
      : html`${form.columns.map(
          ({ name, type, text }) =>
            html`<label
              >${name}
              <input
                name="${name}"
                value="${text}"
                spellcheck="false"
                placeholder="${type}"
                data-focus="key:${name}"
            /></label>`
        )}`;
  const by = 'where' in form ? 'where' : 'key';
  return html`<form
    class="pwv-row-form"
    data-by="${by}"
    aria-label="${texts.format('biographyKey')}"
  >
    ${inputs}
    <button type="submit" data-focus="show">
      ${texts.format('biographyShow')}
    </button>
  </form>`;
}

/** Return the values of a form's inputs, keyed by name. */
export function textsOf(form: Element): Record<string, string> {
  const inputs = form.querySelectorAll('input');
  return Object.fromEntries(
    Array.from(inputs, input => [input.name, input.value])
  );
}
