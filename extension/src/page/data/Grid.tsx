import type { TranslationBundle } from '@jupyterlab/translation';
import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import type {
  ColumnSummaryValue,
  RowsColumnValue,
  RowsValue
} from '../../contract';
import { gridMove, widthsOf, type Cell } from '../../state/grid';
import {
  visibleRange,
  linesOf,
  scrollToShow,
  totalHeight
} from '../../state/window';
import { GridHead } from './GridHead';

/** SQL's NULL, which is not translated. */
const NULL = 'NULL';
const ROW_HEIGHT = 24;
const HEAD_HEIGHT = 58;
const ACTION_WIDTH = 34;
const SPARE_ROWS = 8;
const SPARE_COLUMNS = 2;
/** The next rows are read when this many rows are left below the visible ones. */
const AHEAD = 30;

interface GridProps {
  readonly value: RowsValue;
  readonly columns: ReadonlyMap<string, ColumnSummaryValue>;
  readonly busy: boolean;
  readonly trans: TranslationBundle;
  /** Called when the user is about to scroll past the loaded rows. */
  onEnd(): void;
  /** The action of a row, which its button, Enter and a double-click trigger. */
  readonly action?: RowAction | null;
}

/** An action on a row of the grid. */
export interface RowAction {
  readonly label: string;
  readonly icon: LabIcon;
  run(row: number): void;
}

/** Rows below headings with column types; only the visible cells are drawn, and arrow keys move the active cell. */
export function Grid(props: GridProps): React.ReactElement {
  const { value, columns, busy, trans, onEnd, action } = props;
  const ref = React.useRef<HTMLDivElement>(null);
  const id = React.useId();
  const [active, setActive] = React.useState<Cell>({ row: 0, column: 0 });
  const view = useView(ref);
  const tops = React.useMemo(
    () => linesOf(value.rows.map(() => ROW_HEIGHT)),
    [value.rows]
  );
  const lefts = React.useMemo(() => linesOf(widthsOf(value)), [value]);
  const body = view.height - HEAD_HEIGHT;
  const [top, bottom] = visibleRange(tops, view.top, body, SPARE_ROWS);
  const [left, right] = visibleRange(
    lefts,
    view.left,
    view.width,
    SPARE_COLUMNS
  );
  const follows = value.state === 'more' && !busy;
  React.useEffect(() => {
    if (follows && bottom + AHEAD >= value.rows.length) {
      onEnd();
    }
  }, [follows, bottom, value.rows.length]);

  const show = (cell: Cell): void => {
    const grid = ref.current;
    setActive(cell);
    if (grid) {
      const { scrollTop, scrollLeft } = grid;
      grid.scrollTop = scrollToShow(tops, cell.row, scrollTop, body);
      grid.scrollLeft = scrollToShow(
        lefts,
        cell.column,
        scrollLeft,
        view.width
      );
    }
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key === 'Enter' && action && active.row < value.rows.length) {
      event.preventDefault();
      action.run(active.row);
      return;
    }
    const size = { rows: value.rows.length, columns: value.columns.length };
    const page = Math.max(Math.floor(body / ROW_HEIGHT) - 1, 1);
    const to = gridMove(active, event.key, event.ctrlKey, size, page);
    if (to) {
      event.preventDefault();
      event.stopPropagation();
      show(to);
    }
  };
  const cellId = ({ row, column }: Cell) => `${id}-${row}-${column}`;
  const rows = value.rows.map((_, at) => at).slice(top, bottom);
  const drawn = value.columns.map((_, at) => at).slice(left, right);
  const isActive = (row: number, column: number) =>
    row === active.row && column === active.column;
  return (
    <div
      className="pw-grid"
      role="grid"
      aria-label={trans.__('Rows')}
      aria-rowcount={value.state === 'end' ? value.rows.length + 1 : -1}
      aria-colcount={value.columns.length}
      aria-busy={busy}
      aria-activedescendant={value.rows.length > 0 ? cellId(active) : undefined}
      tabIndex={0}
      ref={ref}
      onKeyDown={onKeyDown}
    >
      <div
        className="pw-grid-plane"
        role="none"
        style={{
          width: totalHeight(lefts),
          height: HEAD_HEIGHT + totalHeight(tops)
        }}
      >
        <div
          className="pw-grid-head"
          role="row"
          aria-rowindex={1}
          style={{ height: HEAD_HEIGHT }}
        >
          {drawn.map(at => (
            <GridHead
              key={at}
              column={value.columns[at]}
              index={at}
              summary={columns.get(value.columns[at].name) ?? null}
              left={lefts.tops[at]}
              width={lefts.tops[at + 1] - lefts.tops[at]}
              trans={trans}
            />
          ))}
        </div>
        {rows.map(row => (
          <div
            key={row}
            className="pw-grid-row"
            role="row"
            aria-rowindex={value.start + row + 2}
            style={{ top: HEAD_HEIGHT + tops.tops[row], height: ROW_HEIGHT }}
            onDoubleClick={() => action?.run(row)}
          >
            {drawn.map(column => (
              <GridCell
                key={column}
                id={cellId({ row, column })}
                index={column}
                column={value.columns[column]}
                text={value.rows[row][column]}
                active={isActive(row, column)}
                left={lefts.tops[column]}
                width={lefts.tops[column + 1] - lefts.tops[column]}
                onClick={() => setActive({ row, column })}
              />
            ))}
            {action && row === active.row && (
              <RowButton
                action={action}
                row={row}
                left={view.left + view.width - ACTION_WIDTH}
              />
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

interface RowButtonProps {
  readonly action: RowAction;
  readonly row: number;
  readonly left: number;
}

/** The button at the right edge of the grid for the active row's action; Enter does the same. */
function RowButton(props: RowButtonProps): React.ReactElement {
  const { action, row, left } = props;
  return (
    <div
      className="pw-grid-action"
      role="gridcell"
      style={{ left, width: ACTION_WIDTH }}
    >
      <button
        type="button"
        tabIndex={-1}
        title={`${action.label} (Enter)`}
        aria-label={action.label}
        onClick={() => action.run(row)}
      >
        <action.icon.react tag="span" />
      </button>
    </div>
  );
}

interface GridCellProps {
  readonly id: string;
  readonly index: number;
  readonly column: RowsColumnValue;
  readonly text: string | null;
  readonly active: boolean;
  readonly left: number;
  readonly width: number;
  onClick(): void;
}

function GridCell(props: GridCellProps): React.ReactElement {
  const { id, index, column, text, active, left, width, onClick } = props;
  return (
    <div
      id={id}
      className={`pw-grid-cell${column.number ? ' pw-mod-number' : ''}${text === null ? ' pw-mod-null' : ''}`}
      role="gridcell"
      aria-colindex={index + 1}
      data-active={active || undefined}
      title={text ?? NULL}
      style={{ left, width }}
      onClick={onClick}
    >
      {text ?? NULL}
    </div>
  );
}

interface Viewport {
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

/** Return the visible part of an element's content. */
function useView(ref: React.RefObject<HTMLElement>): Viewport {
  const [view, setView] = React.useState<Viewport>({
    top: 0,
    left: 0,
    width: 800,
    height: 400
  });
  React.useLayoutEffect(() => {
    const element = ref.current;
    if (!element) {
      return;
    }
    const update = (): void =>
      setView({
        top: element.scrollTop,
        left: element.scrollLeft,
        width: element.clientWidth,
        height: element.clientHeight
      });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener('scroll', update);
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, []);
  return view;
}
