import type {
  CompactionStory,
  CompactionsValue,
  CostsAnswer,
  ErrorValue,
  ReplayValue
} from '../../contract';
import type { ViewHost } from '../stage';
import type { CompactionEvent } from './model';

type Read = NonNullable<ViewHost<CompactionEvent>['read']>;
type Subject = 'list' | 'story' | 'replay' | 'costs';

const COST_PAUSE = 50;
const PAGE = 200;

/**
 * Reads the data that the view shows besides the first compactions. If the host cannot read, the view requests the same
 * data from the kernel by events, and it arrives with the value.
 */
export class CompactionReader {
  /** The compactions of the first page and of the pages read after it. */
  list: CompactionsValue | null = null;
  /** Whether older compactions are being read. */
  isListing = false;
  story: CompactionStory | null = null;
  replay: ReplayValue | null = null;
  costs: CostsAnswer | null = null;
  failure: ErrorValue | null = null;
  private readonly reads = new Map<Subject, AbortController>();
  private readonly keys = new Map<Subject, string>();
  private first: CompactionsValue | null = null;
  private wanted = PAGE;

  constructor(
    private readonly host: ViewHost<CompactionEvent>,
    private readonly changed: () => void
  ) {}

  /** Mark all data as outdated because there are newer snapshots: it is reloaded when it is shown. */
  forget(): void {
    this.keys.clear();
  }

  dispose(): void {
    this.reads.forEach(each => each.abort());
  }

  /** Take the first page, and read further pages until there are as many compactions as wanted. */
  readList(first: CompactionsValue): void {
    if (first !== this.first) {
      this.first = this.list = first;
      this.readOlder(first);
    }
  }

  /** Read more compactions, in as many requests as needed. */
  readMore(cursor: string): void {
    const { list } = this;
    if (!this.host.read) {
      this.host.emit({ kind: 'more-compactions', cursor });
    } else if (list && !this.isListing) {
      this.wanted = (Math.floor(list.compactions.length / PAGE) + 1) * PAGE;
      this.readOlder(list);
      this.changed();
    }
  }

  private readOlder(list: CompactionsValue): void {
    this.reads.get('list')?.abort();
    this.keys.delete('list');
    this.isListing = false;
    if (this.lacks(list)) {
      this.need('list', 'list', async (read, signal) => {
        this.isListing = true;
        try {
          await this.readPages(list, read, signal);
        } finally {
          this.isListing &&= signal.aborted;
        }
      });
    }
  }

  private async readPages(
    list: CompactionsValue,
    read: Read,
    signal: AbortSignal
  ): Promise<void> {
    for (let next = list.next; next !== null && this.lacks(list);) {
      const limit = this.wanted - list.compactions.length;
      const page = await read('compactions', { cursor: next, limit }, signal);
      signal.throwIfAborted();
      this.list = list = {
        ...list,
        next: page.next,
        compactions: [...list.compactions, ...page.compactions],
        unread: [...list.unread, ...page.unread]
      };
      next = page.next;
      this.changed();
    }
  }

  private lacks({ next, compactions }: CompactionsValue): boolean {
    return next !== null && compactions.length < this.wanted;
  }

  /** Read the story of a compaction: `<snapshot>@<bucket>`, or the id of a snapshot. */
  readStory(id: string): void {
    const [snapshot, bucket] = id.split('@');
    this.need('story', id, async (read, signal) => {
      const request = { snapshot, ...(bucket !== undefined && { bucket }) };
      this.story = await read('compaction', request, signal);
    });
  }

  readReplay(bucket: string, limit: number, last: string): void {
    if (this.host.read) {
      this.need(
        'replay',
        `${bucket} ${limit} ${last}`,
        async (read, signal) => {
          const answer = await read(
            'compaction_replay',
            { bucket, limit },
            signal
          );
          this.replay = answer.replay;
        }
      );
    } else {
      const isShown =
        this.replay?.bucket_id === bucket &&
        (!this.replay.older || this.replay.steps.length >= limit);
      this.ask('replay', `${bucket} ${limit}`, isShown, {
        kind: 'replay',
        bucket,
        limit
      });
    }
  }

  readCosts(last: string): void {
    if (this.host.read) {
      this.need('costs', last, (read, signal) =>
        this.readAllCosts(read, signal)
      );
    } else {
      this.ask('costs', 'costs', this.costs !== null, { kind: 'costs' });
    }
  }

  /** Read the costs until they cover all commits. */
  private async readAllCosts(read: Read, signal: AbortSignal): Promise<void> {
    for (;;) {
      const before = this.costs;
      this.costs = await read('compaction_costs', {}, signal);
      const { costs } = this.costs;
      // Stop if an answer does not go back further: the same request would repeat forever.
      if (
        costs.complete ||
        (before?.costs.first === costs.first &&
          before.costs.last === costs.last)
      ) {
        return;
      }
      this.changed();
      await new Promise(resolve => setTimeout(resolve, COST_PAUSE));
      signal.throwIfAborted();
    }
  }

  private ask(
    subject: Subject,
    key: string,
    isShown: boolean,
    event: CompactionEvent
  ): void {
    if (!isShown && this.keys.get(subject) !== key) {
      this.keys.set(subject, key);
      this.host.emit(event);
    }
  }

  private need(
    subject: Subject,
    key: string,
    load: (read: Read, signal: AbortSignal) => Promise<void>
  ): void {
    const { read } = this.host;
    if (!read || this.keys.get(subject) === key) {
      return;
    }
    this.keys.set(subject, key);
    this.reads.get(subject)?.abort();
    const control = new AbortController();
    this.reads.set(subject, control);
    const end = (failure: ErrorValue | null) => {
      if (!control.signal.aborted) {
        this.failure = failure;
        this.changed();
      }
    };
    void load(read, control.signal).then(
      () => end(null),
      (error: unknown) => end(problemOf(error))
    );
  }
}

/** Return the error value of a source's error, or an error value with the message of any other error. */
function problemOf(error: unknown): ErrorValue {
  const { value } = error as { value?: ErrorValue };
  const message = error instanceof Error ? error.message : String(error);
  return value ?? { code: 'unknown', message, hint: null, file: null };
}
