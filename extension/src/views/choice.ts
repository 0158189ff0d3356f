import { html, type Markup } from './markup';

export interface Choice {
  /** The key that identifies the focused element when the picture is redrawn. */
  readonly focus: string;
  /** Whether Tab reaches the element; this is true for one of the choices. */
  readonly isTabStop: boolean;
  readonly isSelected: boolean;
  readonly label: string;
}

/** Return the attributes of an element that is one of several choices. */
export function choosable({
  focus,
  isTabStop,
  isSelected,
  label
}: Choice): Markup {
  return html`data-focus="${focus}" tabindex="${isTabStop ? 0 : -1}"
  aria-selected="${isSelected ? 'true' : 'false'}" aria-label="${label}"`;
}
