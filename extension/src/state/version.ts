import type { Int64, VersionRequest } from '../contract';

/** The shown version of a table; `latest` follows each commit. */
export type Version =
  | { readonly kind: 'latest' }
  | { readonly kind: 'snapshot'; readonly id: Int64 }
  | { readonly kind: 'tag'; readonly name: string };

export const LATEST: Version = { kind: 'latest' };

/** Return a version as text, as in command arguments: `latest`, `12`, `tag:v1`. */
export function versionText(version: Version): string {
  switch (version.kind) {
    case 'latest':
      return 'latest';
    case 'snapshot':
      return version.id;
    case 'tag':
      return `tag:${version.name}`;
  }
}

/** The request parameters that name a version; none for the latest. */
export type VersionParameters = Readonly<
  Pick<VersionRequest, 'snapshot' | 'tag'>
>;

export function versionParameters(version: Version): VersionParameters {
  switch (version.kind) {
    case 'latest':
      return {};
    case 'snapshot':
      return { snapshot: version.id };
    case 'tag':
      return { tag: version.name };
  }
}

export function parseVersion(text: string): Version {
  if (text.startsWith('tag:')) {
    return { kind: 'tag', name: text.slice('tag:'.length) };
  }
  return /^\d+$/.test(text) ? { kind: 'snapshot', id: text } : LATEST;
}

export function sameVersion(one: Version, other: Version): boolean {
  return versionText(one) === versionText(other);
}

interface Bounds {
  readonly snapshot: Int64 | null;
  readonly earliest_snapshot: Int64 | null;
  readonly latest_snapshot: Int64 | null;
}

/** Return the previous version, or null if there is none. */
export function previousVersion(bounds: Bounds): Version | null {
  const { snapshot, earliest_snapshot: earliest } = bounds;
  if (snapshot === null || earliest === null) {
    return null;
  }
  return BigInt(snapshot) > BigInt(earliest) ? step(snapshot, -1n) : null;
}

/**
 * Return the next version, or null if there is none; after the newest snapshot comes `latest`, which follows new
 * commits.
 */
export function nextVersion(shown: Version, bounds: Bounds): Version | null {
  const { snapshot, earliest_snapshot: earliest } = bounds;
  const latest = bounds.latest_snapshot;
  if (shown.kind === 'latest' || snapshot === null || latest === null) {
    return null;
  }
  if (BigInt(snapshot) >= BigInt(latest)) {
    return LATEST;
  }
  // A tag can be older than all snapshots: then the next version is the earliest snapshot.
  return earliest !== null && BigInt(snapshot) < BigInt(earliest)
    ? { kind: 'snapshot', id: earliest }
    : step(snapshot, 1n);
}

function step(id: Int64, by: bigint): Version {
  return { kind: 'snapshot', id: String(BigInt(id) + by) };
}
