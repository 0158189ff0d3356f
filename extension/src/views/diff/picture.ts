import type {
  DiffCountsValue,
  DiffFilter,
  DiffRowsValue
} from '../../contract';
import { html, type Markup } from '../markup';
import { problem } from '../problem';
import {
  focusablesOf,
  moveTo,
  ringOf,
  Stage,
  type View,
  type ViewHost
} from '../stage';
import type { Texts } from '../texts';
import { countsMarkup, type BarFilter } from './bars';
import { progressMarkup } from './progress';
import { headMarkup } from './head';
import { metadataMarkup } from './metadata';
import type { DiffEvent, DiffShown } from './model';
import { countsOf, errorOf, isEmpty, pageOf, type Read } from './reads';
import { keyOfChange, rowsMarkup } from './rows';

const PARTS = ['head', 'counts', 'filter', 'rows', 'meta'];
const NO_FILTER: DiffFilter = {
  kind: '',
  column: '',
  partition: '',
  where: ''
};
const STEPS: Record<string, number | undefined> = {
  ArrowUp: -1,
  ArrowLeft: -1,
  ArrowDown: 1,
  ArrowRight: 1,
  Home: -Infinity,
  End: Infinity
};

/** A live comparison of two states: counts, changed rows, and other differences. */
export function diffView(
  element: HTMLElement,
  host: ViewHost<DiffEvent>
): View<DiffShown> {
  return new DiffPicture(element, host);
}

class DiffPicture implements View<DiffShown> {
  private readonly stage: Stage;
  private shown: DiffShown | null = null;
  private filter = NO_FILTER;
  private start = 0;
  private counts: Read<DiffCountsValue> = null;
  private page: Read<DiffRowsValue> = null;
  /** Whether `counts` are still being completed; until then, they are partial. */
  private isCounting = false;
  private counting = new AbortController();
  private paging = new AbortController();

  constructor(
    element: HTMLElement,
    private readonly host: ViewHost<DiffEvent>
  ) {
    this.stage = new Stage(element, 'diff', PARTS);
    const { root } = this.stage;
    root.addEventListener('click', event => this.onClick(event));
    root.addEventListener('change', event => this.onChange(event));
    root.addEventListener('submit', event => this.onSubmit(event));
    root.addEventListener('keydown', event => this.onKey(event));
  }

  update(shown: DiffShown): void {
    const before = this.shown?.diff;
    const { diff } = shown;
    this.shown = shown;
    if (this.host.read && before !== diff) {
      const isOther =
        before?.table !== diff.table ||
        before.before.ref !== diff.before.ref ||
        before.after.ref !== diff.after.ref;
      if (isOther) {
        this.start = 0;
        this.filter = { ...NO_FILTER, where: this.filter.where };
      }
      this.readRows();
      return;
    }
    if (!this.host.read) {
      this.filter = diff.filter;
      this.start = diff.page?.start ?? 0;
      this.counts = diff.counts ?? diff.rows_error;
      this.page = diff.page;
    }
    this.draw();
  }

  dispose(): void {
    this.counting.abort();
    this.paging.abort();
    this.stage.dispose();
  }

  private get texts(): Texts {
    return this.stage.texts(
      this.host,
      this.shown?.diff.kind,
      pageOf(this.page)?.zone
    );
  }

  // --- reading -------------------------------------------------------------

  /** Count the rows that match the filter, and read a page of them. */
  private readRows(): void {
    this.readCounts();
    this.readPage();
  }

  private get request() {
    const { diff } = this.shown as DiffShown;
    const ends = {
      before: diff.before.ref,
      after: diff.after.ref,
      mode: diff.requested
    };
    return { ...ends, ...this.filter };
  }

  private readCounts(): void {
    this.counting.abort();
    this.counting = new AbortController();
    const { signal } = this.counting;
    this.counts = 'pending';
    this.isCounting = true;
    this.draw();
    void this.countOn(0, signal);
  }

  /** Count step by step, and show what each step has counted. */
  private async countOn(counted: number, signal: AbortSignal): Promise<void> {
    const request = { ...this.request, counted };
    try {
      const counts = await this.host.read?.('diff_counts', request, signal);
      // A server that has forgotten the count begins again; it does not count forever.
      const goesOn =
        counts !== undefined && !counts.complete && counts.counted > counted;
      this.take(signal, () => {
        this.counts = counts ?? null;
        this.isCounting = goesOn;
      });
      if (goesOn && !signal.aborted) {
        await this.countOn(counts.counted, signal);
      }
    } catch (error) {
      this.take(signal, () => {
        this.counts = errorOf(error);
        this.isCounting = false;
      });
    }
  }

  private readPage(): void {
    this.paging.abort();
    this.paging = new AbortController();
    const { signal } = this.paging;
    this.page = 'pending';
    this.draw();
    const request = { ...this.request, start: this.start };
    const answer = this.host.read?.('diff_rows', request, signal);
    void answer?.then(
      page => this.take(signal, () => (this.page = page)),
      (error: unknown) => this.take(signal, () => (this.page = errorOf(error)))
    );
  }

  private take(signal: AbortSignal, set: () => void): void {
    if (!signal.aborted) {
      set();
      this.draw();
      this.announce();
    }
  }

  private announce(): void {
    const counts = countsOf(this.counts);
    if (counts && !this.isCounting && this.page !== 'pending') {
      const { inserted, updated, deleted } = counts;
      this.stage.announce(
        this.texts.format('diffSummary', {
          inserted: this.texts.count(inserted),
          updated: this.texts.count(updated),
          deleted: this.texts.count(deleted)
        })
      );
    }
  }

  // --- drawing -------------------------------------------------------------

  private draw(): void {
    const { stage, texts, shown } = this;
    if (shown === null) {
      return;
    }
    const { diff, isChosen } = shown;
    stage.name(texts.format('diffTitle', { table: diff.table }));
    stage.redraw(() => {
      stage.fill('head', headMarkup(diff, isChosen, texts));
      stage.fill('counts', this.countsPart());
      this.drawFilter();
      stage.fill('rows', this.rowsPart());
      stage.fill('meta', metadataMarkup(diff, texts));
    });
    const busy = this.isCounting || this.page === 'pending';
    stage.part('rows').setAttribute('aria-busy', String(busy));
  }

  /** Whether rows have biographies: rows of branches do not, because their history is separate. */
  private get opensRows(): boolean {
    const { before, after } = (this.shown as DiffShown).diff;
    return ![before, after].some(({ ref }) => ref.startsWith('branch:'));
  }

  private countsPart(): Markup {
    const { counts, texts, filter } = this;
    if (counts === null) {
      return html``;
    }
    if (typeof counts === 'object' && 'message' in counts) {
      return problem(counts);
    }
    const found = countsOf(counts);
    return html`${progressMarkup(counts, this.isCounting, texts)}
    ${found && countsMarkup(found, filter, texts)}`;
  }

  private drawFilter(): void {
    const { stage, texts, filter } = this;
    const isSet = Object.values(filter).some(text => text !== '');
    const counts = countsOf(this.counts);
    const none = counts && isEmpty(counts) && !isSet;
    stage.fill(
      'filter',
      none
        ? html`<p class="pwv-empty">${texts.format('diffNone')}</p>`
        : html`<form class="pwv-diff-filter" role="search">
            <input
              type="text"
              name="where"
              spellcheck="false"
              data-focus="where"
              value="${filter.where}"
              placeholder="${texts.format('diffWhereHint')}"
              aria-label="${texts.format('diffWhere')}"
            />
            <button type="submit" data-focus="apply">
              ${texts.format('diffApply')}
            </button>
            ${
              isSet &&
              html`<button type="button" data-focus="clear" data-clear="">
                ${texts.format('diffClear')}
              </button>`
            }
          </form>`
    );
  }

  private rowsPart(): Markup {
    const { page, texts, filter } = this;
    if (page === 'pending') {
      return html`<p class="pwv-dim">${texts.format('diffReading')}</p>`;
    }
    if (page === null || page === 'stopped') {
      return html``;
    }
    if ('message' in page) {
      // The counts show the same error.
      const isSame =
        typeof this.counts === 'object' &&
        this.counts !== null &&
        'message' in this.counts;
      return isSame ? html`` : problem(page);
    }
    const counts = countsOf(this.counts);
    if (page.rows.length === 0) {
      const isSet = Object.values(filter).some(text => text !== '');
      return isSet
        ? html`<p class="pwv-empty">${texts.format('diffNoneFiltered')}</p>`
        : html``;
    }
    const total = counts
      ? String(
          BigInt(counts.inserted) +
            BigInt(counts.updated) +
            BigInt(counts.deleted)
        )
      : null;
    return rowsMarkup(page, total, this.opensRows, texts);
  }

  // --- events --------------------------------------------------------------

  private choose(filter: DiffFilter): void {
    this.filter = filter;
    this.start = 0;
    if (this.host.read) {
      this.readRows();
    } else {
      this.host.emit({ kind: 'filter', filter });
    }
  }

  private onClick(event: Event): void {
    const button = (event.target as Element).closest<HTMLElement>('button');
    if (!button || button.getAttribute('aria-disabled') === 'true') {
      return;
    }
    const { filter, value, start, clear, usual, stop, count, row } =
      button.dataset;
    if (filter !== undefined) {
      const what = filter as BarFilter;
      const isChosen = this.filter[what] === value;
      this.choose({ ...this.filter, [what]: isChosen ? '' : value });
    } else if (start !== undefined) {
      this.turnTo(Number(start));
    } else if (clear !== undefined) {
      this.choose(NO_FILTER);
    } else if (usual !== undefined) {
      this.host.emit({ kind: 'compare', before: null, after: null });
    } else if (row !== undefined) {
      this.showRow(Number(row));
    } else if (stop !== undefined) {
      this.counting.abort();
      this.isCounting = false;
      if (this.counts === 'pending') {
        this.counts = 'stopped';
      }
      this.draw();
    } else if (count !== undefined) {
      this.readCounts();
    }
  }

  private showRow(row: number): void {
    const page = pageOf(this.page);
    const key = page && keyOfChange(page, page.rows[row]);
    if (key) {
      this.host.emit({ kind: 'show-row', key });
    }
  }

  private turnTo(start: number): void {
    this.start = start;
    if (this.host.read) {
      this.readPage();
    } else {
      this.host.emit({ kind: 'page', start });
    }
  }

  private onChange(event: Event): void {
    const select = event.target as HTMLSelectElement;
    const { choice } = select.dataset;
    const diff = this.shown?.diff;
    if (!diff || choice === undefined) {
      return;
    }
    if (choice === 'mode') {
      this.host.emit({ kind: 'source', mode: select.value });
      return;
    }
    const ends = { before: diff.before.ref, after: diff.after.ref };
    this.host.emit({ kind: 'compare', ...ends, [choice]: select.value });
  }

  private onSubmit(event: Event): void {
    event.preventDefault();
    const input = this.stage
      .part('filter')
      .querySelector<HTMLInputElement>('input');
    this.choose({ ...this.filter, where: input?.value.trim() ?? '' });
  }

  /** Move inside a group of bars. */
  private onKey(event: KeyboardEvent): void {
    const from = event.target as HTMLElement;
    const ring = ringOf(from);
    const step = STEPS[event.key];
    if (!ring || step === undefined) {
      return;
    }
    const bars = focusablesOf(ring);
    const at = bars.indexOf(from) + step;
    moveTo(bars[Math.min(Math.max(at, 0), bars.length - 1)]);
    event.preventDefault();
  }
}
