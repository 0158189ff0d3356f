import type {
  BiographyCommit,
  BiographyField,
  BiographyStay,
  BiographyValue,
  BiographyVersion,
  Int64
} from '../../contract';
import type { Texts } from '../texts';

/** The horizontal distance between commits, and the height of a lane. */
export const STEP = 58;
export const LANE = 44;
const EDGE = 40;

/** The x coordinates of the commits in a biography. */
export class Places {
  private readonly places: ReadonlyMap<Int64, number>;
  readonly width: number;

  constructor(value: BiographyValue) {
    this.places = new Map(
      value.commits.map(({ id }, at) => [id, EDGE + at * STEP + STEP / 2])
    );
    this.width = 2 * EDGE + Math.max(value.commits.length, 1) * STEP;
  }

  /** Return the x coordinate of a commit; anything older than the first commit starts at the edge. */
  start(commit: Int64 | null): number {
    return this.places.get(commit ?? '') ?? EDGE / 2;
  }

  end(commit: Int64 | null): number {
    return commit === null ? this.width - 6 : this.start(commit);
  }
}

export function laneMiddle(lane: number): number {
  return lane * LANE + LANE / 2;
}

/** Return the versions that a column's value comes from: those that it is read from, and those that wrote it. */
export function versionsOf(field: BiographyField): Set<number> {
  return new Set([...readFrom(field), ...field.origins]);
}

/** Return the versions that a read takes a column's value from. */
export function readFrom(field: BiographyField): number[] {
  return field.winner !== null
    ? [field.winner]
    : [...new Set(field.uses.map(({ version }) => version))];
}

export function commitOf(
  value: BiographyValue,
  id: Int64 | null
): BiographyCommit | null {
  return value.commits.find(commit => commit.id === id) ?? null;
}

export function firstStay(version: BiographyVersion): BiographyStay {
  return version.stays[0];
}

export function lastStay(version: BiographyVersion): BiographyStay {
  return version.stays[version.stays.length - 1];
}

/** Return the levels that a version was stored in: `L0 → L5`. */
export function levelsText(
  version: BiographyVersion,
  value: BiographyValue
): string {
  return version.stays
    .map(({ lane }) => `L${value.lanes[lane].level}`)
    .join(' → ');
}

export function sourceText({ source }: BiographyVersion, texts: Texts): string {
  switch (source) {
    case 'write':
      return texts.format('biographyWritten');
    case 'compaction':
      return texts.format('biographyCompacted');
    default:
      return texts.format('biographyUnknown');
  }
}

export function stateText({ state }: BiographyVersion, texts: Texts): string {
  switch (state) {
    case 'read':
      return texts.format('biographyStateRead');
    case 'skipped':
      return texts.format('biographyStateSkipped');
    case 'hidden':
      return texts.format('biographyStateHidden');
    case 'marked':
      return texts.format('biographyStateMarked');
    default:
      return texts.format('biographyStateGone');
  }
}

export function beadName(
  version: BiographyVersion,
  value: BiographyValue,
  texts: Texts
): string {
  return texts.format('biographyBead', {
    id: String(version.id),
    kind: version.kind,
    source: sourceText(version, texts),
    commit:
      version.commit === null
        ? texts.format('biographyByExpired')
        : texts.format('biographyBySnapshot', { id: version.commit }),
    level: levelsText(version, value).replace(/L/g, ''),
    state: stateText(version, texts)
  });
}
