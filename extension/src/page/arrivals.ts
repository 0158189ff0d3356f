import type { Int64 } from '../contract';
import { ready } from '../state/loaded';
import { partOf, SUMMARY, type Part, type PartStates } from './parts';
import { nextSnapshot, storyStep, type Merge, type StoryStep } from './story';

/** The maximum number of snapshots that are shown one after another, and the duration of each. */
const MAX_STEPS = 5;
const STEP_MILLIS = 600;

/** Snapshots that follow each other within this time belong to the same story. */
const STORY_MILLIS = 10000;

/** The page that is notified of new snapshots. */
export interface ArrivalPage {
  /** The values that the page currently shows. */
  values(): PartStates;
  /** The shown parts whose values depend on the version. */
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
 * Moves a page to new snapshots automatically: it shows the snapshots before the newest one long enough to be seen,
 * along with the story of what they did.
 */
export class Arrivals {
  private playing: AbortController | null = null;
  /** The values that the page showed before the next snapshot of the story; null if there is nothing to report. */
  private before: PartStates | null = null;
  private story: readonly StoryStep[] = [];
  /** When the last step was added to the story. */
  private told = 0;
  /** The newest snapshot that the page was notified of. */
  private newest: Int64 | null = null;

  constructor(private readonly page: ArrivalPage) {}

  get isPlaying(): boolean {
    return this.playing !== null;
  }

  /** Move to the newest snapshot; a page that is already moving also moves through this one. */
  begin(newest: Int64 | null): void {
    const { page } = this;
    this.newest = newest;
    if (this.playing) {
      return;
    }
    this.before = page.values();
    const shown = this.shown();
    if (!this.continues(shown)) {
      this.story = [];
    }
    if (page.showsWrites() && shown && newest && isBefore(shown, newest)) {
      this.playing = new AbortController();
      void this.play(shown, this.playing.signal);
    } else {
      page.showNewest();
    }
  }

  /** Stop at the current snapshot; return whether the page was moving. */
  stop(): boolean {
    const { isPlaying } = this;
    this.playing?.abort();
    this.playing = null;
    return isPlaying;
  }

  /** Discard the story because the page shows another version. */
  forget(): void {
    this.before = null;
    this.story = [];
    this.page.tell([]);
  }

  /** Report what happened up to the version that has now been read completely. */
  settled(): void {
    if (this.before && !this.playing) {
      this.tell();
      this.before = null;
    }
  }

  /**
   * Show the snapshots after the shown one, each as it was: the newest version may already be another one when it is
   * read.
   */
  private async play(shown: Int64, signal: AbortSignal): Promise<void> {
    const { page } = this;
    // With reduced motion there is no animation to wait for, only the text changes.
    const pause = prefersStillness() ? 0 : STEP_MILLIS;
    let last = shown;
    let free = 0;
    const isBehind = () => this.newest !== null && isBefore(last, this.newest);
    while (isBehind() && !signal.aborted) {
      last = nextSnapshot(last, this.newest as Int64, MAX_STEPS);
      const values = await this.valuesAt(last, signal);
      await waitUntil(free);
      if (values && !signal.aborted) {
        page.show(values);
        this.tell();
        free = performance.now() + pause;
      }
      if (!isBehind()) {
        await waitUntil(free);
      }
    }
    if (!signal.aborted) {
      this.playing = null;
      page.showNewest();
    }
  }

  /** Return the values to show for a snapshot, or null if it cannot be read because it has expired. */
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
      if (step) {
        this.story = [...this.story, step].slice(-MAX_STEPS);
        this.told = performance.now();
      }
      page.tell(this.story);
    }
  }

  /** Whether what follows the shown snapshot belongs to the story that the page shows. */
  private continues(shown: Int64 | null): boolean {
    const last = this.story[this.story.length - 1];
    return last?.id === shown && performance.now() - this.told < STORY_MILLIS;
  }

  private shown(): Int64 | null {
    return (
      partOf({ parts: this.page.values() }, SUMMARY).value?.snapshot ?? null
    );
  }
}

function isBefore(id: Int64, other: Int64): boolean {
  return BigInt(id) < BigInt(other);
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
