import { html, type Markup } from './markup';

export interface Choice {
  /** The key by which the focus is kept when the picture is drawn again. */
  readonly focus: string;
  /** Whether Tab reaches the element: one of all that can be chosen. */
  readonly isStop: boolean;
  readonly isSelected: boolean;
  readonly label: string;
}

/** Return the attributes of an element that can be chosen among others. */
export function choosable({
  focus,
  isStop,
  isSelected,
  label
}: Choice): Markup {
  return html`data-focus="${focus}" tabindex="${isStop ? 0 : -1}"
  aria-selected="${isSelected ? 'true' : 'false'}" aria-label="${label}"`;
}
