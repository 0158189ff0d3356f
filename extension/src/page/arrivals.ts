import type { Int64 } from '../contract';
import { ready } from '../state/loaded';
import { partOf, SUMMARY, type Part, type PartStates } from './parts';
import {
  snapshotsBetween,
  storyStep,
  type Merge,
  type StoryStep
} from './story';

/** How many snapshots are shown one after another, and for how long each. */
const MAX_STEPS = 5;
const STEP_MILLIS = 600;

/** The page that snapshots arrive at. */
export interface ArrivalPage {
  /** The values that are shown. */
  values(): PartStates;
  /** The shown parts that each version has its own value of. */
  parts(): readonly Part[];
  /** Whether the page shows what each write did. */
  showsWrites(): boolean;
  /** Return what a compaction merged between two values of the page. */
  merged(before: PartStates, now: PartStates): Merge | null;
  /** Read a part at a snapshot, without showing it. */
  readAt(part: Part, snapshot: Int64, signal: AbortSignal): Promise<unknown>;
  show(values: PartStates): void;
  tell(story: readonly StoryStep[]): void;
  /** Read and show the newest version. */
  showNewest(): void;
}

/**
 * Moves a page to new snapshots by itself: through the ones before the newest, each long enough to be seen, and with the
 * story of what they did.
 */
export class Arrivals {
  private playing: AbortController | null = null;
  /** What the page showed before the snapshot that is to be told next; null if there is nothing to tell. */
  private before: PartStates | null = null;
  private story: readonly StoryStep[] = [];

  constructor(private readonly page: ArrivalPage) {}

  get isPlaying(): boolean {
    return this.playing !== null;
  }

  /** Move to the newest snapshot; while the page is moving already, that is where it ends. */
  begin(newest: Int64 | null): void {
    const { page } = this;
    if (this.playing) {
      return;
    }
    this.before = page.values();
    this.story = [];
    const shown = partOf({ parts: this.before }, SUMMARY).value?.snapshot;
    const missed =
      page.showsWrites() && shown && newest
        ? snapshotsBetween(shown, newest, MAX_STEPS - 1)
        : [];
    if (missed.length === 0) {
      page.showNewest();
      return;
    }
    this.playing = new AbortController();
    void this.play(missed, this.playing.signal);
  }

  /** Stay where the page is; returns whether it was moving. */
  stop(): boolean {
    const { isPlaying } = this;
    this.playing?.abort();
    this.playing = null;
    return isPlaying;
  }

  /** Forget the story: the page shows another version. */
  forget(): void {
    this.before = null;
    this.story = [];
    this.page.tell([]);
  }

  /** Tell what happened up to the version that was read completely. */
  settled(): void {
    if (this.before && !this.playing) {
      this.tell();
      this.before = null;
    }
  }

  private async play(
    ids: readonly Int64[],
    signal: AbortSignal
  ): Promise<void> {
    const { page } = this;
    // Without motion, only the words about the snapshots are new.
    const pause = prefersStillness() ? 0 : STEP_MILLIS;
    let free = 0;
    for (const id of ids) {
      const values = await this.valuesAt(id, signal);
      await waitUntil(free);
      if (signal.aborted) {
        return;
      }
      if (values) {
        page.show(values);
        this.tell();
        free = performance.now() + pause;
      }
    }
    await waitUntil(free);
    if (!signal.aborted) {
      this.playing = null;
      page.showNewest();
    }
  }

  /** Return what is shown of a snapshot; null if it cannot be read, because it has expired. */
  private async valuesAt(
    id: Int64,
    signal: AbortSignal
  ): Promise<PartStates | null> {
    const parts = this.page.parts();
    const reads = parts.map(part => this.page.readAt(part, id, signal));
    const values = await Promise.allSettled(reads);
    return values.every(({ status }) => status === 'fulfilled')
      ? Object.fromEntries(
          values.map((each, index) => [
            parts[index].name,
            ready((each as PromiseFulfilledResult<unknown>).value)
          ])
        )
      : null;
  }

  private tell(): void {
    const { page, before } = this;
    const now = page.values();
    const from = before && partOf({ parts: before }, SUMMARY).value;
    const to = partOf({ parts: now }, SUMMARY).value;
    this.before = now;
    if (before && from && to) {
      const step = storyStep(from, to, page.merged(before, now));
      this.story = step ? [...this.story, step] : this.story;
      page.tell(this.story);
    }
  }
}

function prefersStillness(): boolean {
  const query = '(prefers-reduced-motion: reduce)';
  return typeof matchMedia === 'function' && matchMedia(query).matches;
}

function waitUntil(moment: number): Promise<void> {
  const wait = moment - performance.now();
  return wait > 0
    ? new Promise(resolve => setTimeout(resolve, wait))
    : Promise.resolve();
}
