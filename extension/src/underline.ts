import { StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, type DecorationSet } from '@codemirror/view';
import type { UnknownName } from './state/sqlCell';

const setNames = StateEffect.define<readonly UnknownName[]>();

const names = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    const effect = transaction.effects.find(each => each.is(setNames));
    return effect ? marksOf(effect.value) : marks.map(transaction.changes);
  },
  provide: field => EditorView.decorations.from(field)
});

/** The editor extension that `underline` needs. */
export const underlining: Extension = names;

/** Underline names in an editor, with their messages as tooltips, and remove earlier underlines. */
export function underline(
  view: EditorView,
  unknown: readonly UnknownName[]
): void {
  view.dispatch({ effects: setNames.of(unknown) });
}

function marksOf(unknown: readonly UnknownName[]): DecorationSet {
  const marks = unknown
    .filter(each => each.from < each.to)
    .map(each =>
      Decoration.mark({
        class: 'pw-unknown-name',
        attributes: { title: each.message }
      }).range(each.from, each.to)
    );
  return Decoration.set(marks, true);
}
