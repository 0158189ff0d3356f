/** The MIME type under which the library saves a view as JSON. */
export const SAVED_MIME = 'application/vnd.paimon.view+json';
const VERSION = 1;

/** A view as stored in a notebook output. */
export interface SavedView {
  readonly kind: string;
  readonly value: unknown;
  /** Values that a reader can switch to, each in place of part of `value`. */
  readonly others: readonly unknown[];
  /** Whether the value has less detail than the value read from the table. */
  readonly reduced: boolean;
  readonly zone: string;
  readonly selected: string | null;
  /** The id of the widget that follows the table while its kernel runs. */
  readonly model: string | null;
}

/** Return the view in an output, or null if this version cannot draw it: notebooks are untrusted input. */
export function parseSaved(data: unknown): SavedView | null {
  const view = data as (Partial<SavedView> & { version?: unknown }) | null;
  if (
    view?.version !== VERSION ||
    typeof view.kind !== 'string' ||
    typeof view.value !== 'object' ||
    view.value === null
  ) {
    return null;
  }
  return {
    kind: view.kind,
    value: view.value,
    others: Array.isArray(view.others) ? view.others : [],
    reduced: view.reduced === true,
    zone: typeof view.zone === 'string' ? view.zone : '',
    selected: typeof view.selected === 'string' ? view.selected : null,
    model: typeof view.model === 'string' ? view.model : null
  };
}
