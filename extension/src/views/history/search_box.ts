import type { Int64, SearchValue, TimelineValue } from '../../contract';
import { html } from '../markup';
import type { Texts } from '../texts';

interface SearchHost {
  texts(): Texts;
  /** Search for a text, and pass each answer to `found`; an answer may be partial. */
  search(text: string, found: (value: SearchValue) => void): void;
  choose(id: Int64): void;
}

const DELAY_MILLIS = 200;

/** A search field with a list of results. */
export class SearchBox {
  private readonly input: HTMLInputElement;
  private readonly result: HTMLElement;
  private value: SearchValue | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    parent: HTMLElement,
    private readonly host: SearchHost
  ) {
    const document = parent.ownerDocument;
    this.input = document.createElement('input');
    this.input.type = 'search';
    this.input.className = 'pwv-search';
    this.result = document.createElement('div');
    this.result.className = 'pwv-found';
    parent.append(this.input, this.result);
    this.input.addEventListener('input', () => this.searchSoon());
    this.input.addEventListener('keydown', event => this.onKey(event));
    this.result.addEventListener('click', event => {
      const hit = (event.target as Element).closest<HTMLElement>('[data-hit]');
      if (hit?.dataset.hit !== undefined) {
        host.choose(hit.dataset.hit);
      }
    });
  }

  /** Label the field in the language of the page. */
  name(): void {
    const texts = this.host.texts();
    this.input.setAttribute('aria-label', texts.format('search'));
    this.input.placeholder = texts.format('searchHint');
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private searchSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.search(), DELAY_MILLIS);
  }

  private search(): void {
    const text = this.input.value.trim();
    this.host.search(text, value => {
      if (text === this.input.value.trim()) {
        this.value = text === '' ? null : value;
        this.result.innerHTML = this.value
          ? foundMarkup(this.value, this.host.texts()).text
          : '';
      }
    });
  }

  private onKey(event: KeyboardEvent): void {
    const [first] = this.value?.hits ?? [];
    if (event.key === 'Enter' && first) {
      this.host.choose(first.id);
    } else if (event.key === 'Escape' && this.input.value !== '') {
      this.input.value = '';
      this.search();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

function foundMarkup(value: SearchValue, texts: Texts) {
  const { hits, found, read, total } = value;
  const facts = [];
  if (found > 0) {
    facts.push(texts.format('searchFound', { n: found }));
  } else if (read === total) {
    facts.push(texts.format('searchNone'));
  }
  if (hits.length < found) {
    facts.push(texts.format('searchMore', { n: hits.length }));
  }
  if (read !== total) {
    facts.push(
      texts.format('searchRead', {
        read: texts.count(read),
        n: BigInt(total)
      })
    );
  }
  return html`<p class="pwv-dim" role="status">${facts.join('; ')}</p>
    ${
      hits.length > 0 &&
      html`<ul>
        ${hits.map(
          hit =>
            html`<li>
              <button type="button" data-hit="${hit.id}">
                <b>${hit.id}</b> <span>${hit.kind}</span>
                <span>${texts.time(hit.time_millis)}</span>
                <span class="pwv-dim">${hit.text}</span>
              </button>
            </li>`
        )}
      </ul>`
    }`;
}

/** Search the snapshots of a timeline in the same way as the server; without a server, there are no other snapshots. */
export function searchTimeline(
  { table, snapshots }: TimelineValue,
  text: string,
  texts: Texts
): SearchValue {
  const wanted = text.toLowerCase();
  const hits = snapshots.flatMap(({ id, kind, time_millis, ...facts }) => {
    const searched = {
      id: id === wanted ? id : '',
      time: texts.time(time_millis),
      user: facts.user,
      operation: facts.operation,
      statement: facts.statement,
      kind
    };
    const fields = Object.keys(searched) as (keyof typeof searched)[];
    const field = fields.find(each =>
      searched[each].toLowerCase().includes(wanted)
    );
    return field === undefined
      ? []
      : [{ id, kind, time_millis, field, text: searched[field] }];
  });
  const total = String(snapshots.length);
  return { table, hits, found: hits.length, total, read: total };
}
