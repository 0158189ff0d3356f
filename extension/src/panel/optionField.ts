import type { TranslationBundle } from '@jupyterlab/translation';
import type { CatalogOptionValue } from '../contract';
import { variableOf, variableReference } from '../state/newCatalog';

const VARIABLE_EXAMPLE = 'LAKE_PASSWORD';

/** The field of an option. */
export interface OptionField {
  readonly option: CatalogOptionValue;
  readonly node: HTMLElement;
  /** The element that gets the focus if the value is missing. */
  readonly input: HTMLInputElement | HTMLSelectElement;
  /** The entered value; empty if there is none. */
  getValue(): string;
}

/** Return the field of an option: a list of its choices, a text, or a secret. */
export function optionField(
  option: CatalogOptionValue,
  value: string,
  trans: TranslationBundle
): OptionField {
  if (option.choices.length > 0) {
    return choiceField(option, value, trans);
  }
  return option.secret
    ? secretField(option, value, trans)
    : textField(option, value);
}

function choiceField(
  option: CatalogOptionValue,
  value: string,
  trans: TranslationBundle
): OptionField {
  const input = document.createElement('select');
  if (!option.required) {
    input.append(new Option(trans.__('Default'), ''));
  }
  for (const choice of option.choices) {
    input.append(new Option(choice, choice, false, choice === value));
  }
  const node = labeled(labelOf(option), input);
  return { option, node, input, getValue: () => input.value };
}

function textField(option: CatalogOptionValue, value: string): OptionField {
  const input = textInput(option, value);
  const node = labeled(labelOf(option), input);
  return { option, node, input, getValue: () => input.value.trim() };
}

/** A secret is typed, or it is the name of an environment variable of the server. */
function secretField(
  option: CatalogOptionValue,
  value: string,
  trans: TranslationBundle
): OptionField {
  const variable = variableOf(value);
  const input = textInput(option, variable ?? value);
  input.autocomplete = 'new-password';
  const isVariable = document.createElement('input');
  isVariable.type = 'checkbox';
  isVariable.checked = variable !== null;
  const show = (): void => {
    input.type = isVariable.checked ? 'text' : 'password';
    input.placeholder = isVariable.checked ? VARIABLE_EXAMPLE : option.example;
  };
  show();
  isVariable.addEventListener('change', show);
  const node = document.createElement('div');
  node.className = 'pw-form-secret';
  node.setAttribute('role', 'group');
  node.setAttribute('aria-label', option.meaning);
  node.append(
    labeled(labelOf(option), input),
    labeled(trans.__('This is the name of an environment variable'), isVariable)
  );
  const getValue = (): string =>
    isVariable.checked && input.value.trim() !== ''
      ? variableReference(input.value)
      : input.value;
  return { option, node, input, getValue };
}

function textInput(
  option: CatalogOptionValue,
  value: string
): HTMLInputElement {
  const input = document.createElement('input');
  input.type = 'text';
  input.spellcheck = false;
  input.required = option.required;
  input.placeholder = option.example;
  input.value = value;
  return input;
}

/** Return the label of an option: what it says, its name, and a mark if it is required. */
function labelOf({ meaning, name, required }: CatalogOptionValue): Node[] {
  const code = document.createElement('code');
  code.textContent = name;
  const mark = document.createElement('span');
  mark.className = 'pw-form-required';
  mark.setAttribute('aria-hidden', 'true');
  mark.textContent = required ? '*' : '';
  return [document.createTextNode(`${meaning} `), code, mark];
}

/** Return a label with its input; the text follows a check box. */
export function labeled(
  label: string | readonly Node[],
  input: HTMLElement
): HTMLElement {
  const isCheck =
    input instanceof HTMLInputElement && input.type === 'checkbox';
  const line = document.createElement('label');
  line.className = isCheck ? 'pw-form-check' : 'pw-form-line';
  const text = document.createElement('span');
  text.append(...(typeof label === 'string' ? [label] : label));
  line.append(...(isCheck ? [input, text] : [text, input]));
  return line;
}
