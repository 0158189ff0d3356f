import type { ErrorValue, Int64 } from '../contract';
import type { Version } from '../state/version';
import type { PartStates, ViewArguments } from './parts';
import type { StoryStep } from './story';

export interface PageState {
  readonly version: Version;
  /** The name of the view in the open tab. */
  readonly tab: string;
  readonly arguments: ViewArguments;
  readonly parts: PartStates;
  /** The newest snapshot that is known, shown or not. */
  readonly newest: Int64 | null;
  /** A snapshot that the page has just moved to by itself. */
  readonly arrived: Int64 | null;
  /** What the snapshots did that the page has just moved to by itself, the oldest first. */
  readonly story: readonly StoryStep[];
  /** Why the table cannot be read any more, while the page keeps showing what was read. */
  readonly trouble: ErrorValue | null;
}

/** What a page is to show; what is left out stays as it is. */
export interface PageLocation {
  readonly version?: Version;
  readonly tab?: string;
  readonly arguments?: ViewArguments;
}
