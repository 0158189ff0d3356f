import type { ErrorValue } from '../contract';
import { errorValue, isTemporary, wasCancelled, type Read } from '../source';
import { failed, loading, ready } from '../state/loaded';
import { Retries } from '../state/retries';
import { versionText } from '../state/version';
import type { PageState } from './pageState';
import { partOf, type Part, type PartStates } from './parts';

/** The page for which parts are read. */
export interface LoadingPage {
  readonly read: Read;
  state(): PageState;
  show(change: PartStates): void;
  /** Called after a part was read or has failed. */
  settled(part: Part, error: ErrorValue | null): void;
}

/**
 * Reads the parts of a page. Of each part, only the newest request counts.
 *
 * A storage that does not answer says nothing about a table: the page keeps the value that it shows, unless that is the
 * value of another version or of other arguments. What was not answered is requested again until it is; until then, the
 * page does not change, so that nothing vanishes under the pointer or the focus.
 */
export class Loads {
  constructor(private readonly page: LoadingPage) {}

  abort({ name }: Part): void {
    this.running.get(name)?.abort();
    this.unanswered.delete(name);
  }

  abortAll(): void {
    this.retries.stop();
    this.running.forEach(load => load.abort());
  }

  /** Show the value that a request returns; a request may find that there is nothing to read. */
  async run<V>(
    part: Part<V>,
    request: (read: Read) => Promise<V> | null | undefined,
    isRepeated = false
  ): Promise<void> {
    const { page } = this;
    this.unanswered.delete(part.name);
    const load = new AbortController();
    const pending = request((endpoint, parameters) =>
      page.read(endpoint, parameters, load.signal)
    );
    if (!pending) {
      return;
    }
    const { name } = part;
    const key = keyOf(part as Part, page.state());
    this.running.get(name)?.abort();
    this.running.set(name, load);
    if (!isRepeated) {
      page.show({ [name]: loading(partOf(page.state(), part)) });
    }
    try {
      const value = await pending;
      if (!load.signal.aborted) {
        this.shown.set(name, key);
        page.show({ [name]: ready(value) });
        page.settled(part as Part, null);
      }
    } catch (reason) {
      if (!load.signal.aborted && !wasCancelled(reason)) {
        const error = errorValue(reason);
        const isLater = isTemporary(error);
        if (isLater) {
          this.unanswered.set(name, () => this.run(part, request, true));
        }
        const keeps = isLater && this.shown.get(name) === key;
        const value = keeps ? partOf(page.state(), part).value : null;
        page.show({ [name]: failed(error, value) });
        page.settled(part as Part, error);
      }
    }
    this.retries.update();
  }

  private readonly running = new Map<string, AbortController>();
  /** Requests again what was not answered, by the name of the part. */
  private readonly unanswered = new Map<string, () => Promise<void>>();
  private readonly retries = new Retries({
    isNeeded: () => this.unanswered.size > 0,
    repeat: () =>
      Promise.all([...this.unanswered.values()].map(again => again()))
  });
  /** What the shown value of each part was read for. */
  private readonly shown = new Map<string, string>();
}

/** Return whether something could not be read that may be readable later. */
export function hasTemporaryFailure({ parts }: PageState): boolean {
  return Object.values(parts).some(
    ({ status, error }) =>
      status === 'failed' && error !== null && isTemporary(error)
  );
}

/** Return a text that distinguishes the values of a part. */
function keyOf({ perVersion, takes }: Part, state: PageState): string {
  const given = Object.entries(state.arguments).filter(
    ([name, value]) => value !== null && (takes?.includes(name) ?? true)
  );
  return JSON.stringify([perVersion && versionText(state.version), given]);
}
