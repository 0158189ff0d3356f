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
  /** The newest known snapshot, whether or not it is shown. */
  readonly newest: Int64 | null;
  /** The snapshot that the page has just moved to automatically. */
  readonly arrived: Int64 | null;
  /** What the snapshots did that the page has just moved to automatically, oldest first. */
  readonly story: readonly StoryStep[];
  /** Whether the catalog refuses every change. */
  readonly readOnly: boolean;
  /** Why the table can no longer be read; the page keeps its last values. */
  readonly readError: ErrorValue | null;
}

/** The version, tab and arguments that a page is to show; missing properties stay unchanged. */
export interface PageLocation {
  readonly version?: Version;
  readonly tab?: string;
  readonly arguments?: ViewArguments;
}
