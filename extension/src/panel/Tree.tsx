import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';
import type { CatalogValue } from '../contract';
import { endMeasure } from '../measure';
import { moveFor, type TreeMove } from '../state/keys';
import type { Row } from '../state/rows';
import {
  visibleRange,
  linesOf,
  scrollToShow,
  totalHeight
} from '../state/window';
import { errorText, reasonCount, TreeRow } from './TreeRow';

const ROW_HEIGHT = 24;
const SMALL_LINE = 16;
/** The indentation and the borders of an error, and about the width of a character. */
const FAILED_MARGIN = 90;
const CHARACTER = 6.5;
/** The largest number of lines of an error; the style sheet cuts the others off. */
const FAILED_LINES = 4;
const SPARE_ROWS = 12;
const TYPING_MILLIS = 700;

interface TreeProps {
  readonly rows: readonly Row[];
  readonly active: string | null;
  readonly search: string;
  readonly busy: boolean;
  readonly damaged: ReadonlySet<string>;
  readonly trans: TranslationBundle;
  /** Whether rows of catalogs show their kinds. */
  readonly showKinds: boolean;
  /** Return the catalog of a row that shows one. */
  catalogOf(row: Row): CatalogValue | null;
  onActive(row: Row): void;
  /** Called when a key moves in the tree or acts on a row. */
  onMove(move: TreeMove, row: Row): void;
  onClick(row: Row, event: React.MouseEvent): void;
}

/** An ARIA tree over a flat list of rows; only the visible rows are drawn. */
export function Tree(props: TreeProps): React.ReactElement {
  const { rows, active, trans } = props;
  const ref = React.useRef<HTMLDivElement>(null);
  const [view, setView] = React.useState({
    top: 0,
    height: 600,
    width: 300
  });
  const typeAhead = useTypeAhead();
  const heights = React.useMemo(
    () => rows.map(row => heightOf(row, view.width)),
    [rows, view.width]
  );
  const lines = React.useMemo(() => linesOf(heights), [heights]);
  const found = rows.findIndex(row => row.key === active);
  const index = Math.max(found, 0);
  useSize(ref, size => setView(former => ({ ...former, ...size })));
  useFocusOf(ref, rows[index]?.key);
  React.useLayoutEffect(() => {
    if (!rows.some(row => row.kind === 'loading')) {
      endMeasure('paimon:tree');
    }
  }, [rows]);

  const onKeyDown = (event: React.KeyboardEvent): void => {
    const page = Math.max(Math.floor(view.height / ROW_HEIGHT) - 1, 1);
    const typed = typeAhead.typed();
    const move = moveFor(rows, index, event, page, typed);
    if (!move) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    typeAhead.recordKey(event.key);
    if (move.kind === 'focus' && ref.current) {
      const { scrollTop, clientHeight } = ref.current;
      ref.current.scrollTop = scrollToShow(
        lines,
        move.index,
        scrollTop,
        clientHeight
      );
    }
    props.onMove(move, rows['index' in move ? move.index : index]);
  };

  const [first, end] = visibleRange(lines, view.top, view.height, SPARE_ROWS);
  const drawn = rows.map((_, at) => at).slice(first, end);
  if (rows.length > 0 && (index < first || index >= end)) {
    // The focused row must stay in the document when it is scrolled out of view.
    drawn.push(index);
  }
  return (
    <div
      className="pw-tree"
      role="tree"
      aria-label={trans.__('Catalogs, databases and tables')}
      aria-busy={props.busy}
      ref={ref}
      onKeyDown={onKeyDown}
      onScroll={event => {
        const { scrollTop } = event.currentTarget;
        setView(former => ({ ...former, top: scrollTop }));
      }}
    >
      <div
        className="pw-tree-lines"
        role="none"
        style={{ height: totalHeight(lines) }}
      >
        {drawn.map(at => (
          <TreeRow
            key={rows[at].key}
            row={rows[at]}
            top={lines.tops[at]}
            height={heights[at]}
            focusable={at === index}
            selected={at === found}
            search={props.search}
            damaged={props.damaged.has(rows[at].key)}
            catalog={props.catalogOf(rows[at])}
            showKinds={props.showKinds}
            trans={trans}
            onClick={props.onClick}
            onActive={props.onActive}
            onRefresh={row => props.onMove({ kind: 'refresh', index: at }, row)}
          />
        ))}
      </div>
    </div>
  );
}

/** Return the height of a row: an error gets the lines that its text needs, up to a limit, and one for its link. */
function heightOf(row: Row, width: number): number {
  if (row.kind !== 'failed') {
    return ROW_HEIGHT + reasonCount(row) * SMALL_LINE;
  }
  const characters = Math.max((width - FAILED_MARGIN) / CHARACTER, 12);
  const lines = Math.ceil(errorText(row).length / characters);
  return (Math.min(lines, FAILED_LINES) + 1) * SMALL_LINE + 8;
}

/** Return functions that read and record the text typed in quick succession. */
function useTypeAhead() {
  const ref = React.useRef({ text: '', at: 0 });
  const typed = () =>
    Date.now() - ref.current.at < TYPING_MILLIS ? ref.current.text : '';
  const recordKey = (key: string) => {
    const text = key.length === 1 ? typed() + key : '';
    ref.current = { text, at: Date.now() };
  };
  return { typed, recordKey };
}

function useSize(
  ref: React.RefObject<HTMLElement>,
  resized: (size: { height: number; width: number }) => void
): void {
  React.useLayoutEffect(() => {
    const element = ref.current;
    if (!element) {
      return;
    }
    const observer = new ResizeObserver(() =>
      resized({ height: element.clientHeight, width: element.clientWidth })
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}

/** Keep the focus on the active row while it is in the tree. */
function useFocusOf(
  ref: React.RefObject<HTMLElement>,
  key: string | undefined
): void {
  const inside = React.useRef(false);
  React.useLayoutEffect(() => {
    const tree = ref.current;
    const has = tree?.contains(document.activeElement) ?? false;
    // When a focused row is removed because its parent was collapsed, the focus moves to the body of the page.
    const lost = inside.current && document.activeElement === document.body;
    if (tree && (has || lost)) {
      tree
        .querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')
        ?.focus({ preventScroll: true });
    }
    inside.current = tree?.contains(document.activeElement) ?? false;
  }, [key]);
}
