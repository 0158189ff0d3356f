import type { TimelineValue } from '../contract';
import { LATEST, versionText, type Version } from './version';

/** An entry of the list of versions. */
export interface VersionChoice {
  readonly version: Version;
  /** Other text that a search matches: the commit kind and the tags. */
  readonly detail: string;
  readonly millis: string | null;
}

/** Return the loaded versions that match a search; a snapshot can also be found by its id if it is not loaded. */
export function versionChoices(
  timeline: TimelineValue | null,
  search: string
): VersionChoice[] {
  const tags = (timeline?.tags ?? []).map(tag => ({
    version: { kind: 'tag' as const, name: tag.name },
    detail: `#${tag.snapshot}`,
    millis: tag.time_millis
  }));
  const snapshots = (timeline?.snapshots ?? []).map(snapshot => ({
    version: { kind: 'snapshot' as const, id: snapshot.id },
    detail: [snapshot.kind, ...snapshot.tags].join(' '),
    millis: snapshot.time_millis
  }));
  const latest = { version: LATEST, detail: '', millis: null };
  const all: VersionChoice[] = [latest, ...tags, ...snapshots];
  const wanted = search.trim().toLowerCase();
  const found = all.filter(choice =>
    `${versionText(choice.version)} ${choice.detail}`
      .toLowerCase()
      .includes(wanted)
  );
  const isNumber = /^[1-9]\d*$/.test(wanted);
  const isListed = found.some(
    ({ version }) => version.kind === 'snapshot' && version.id === wanted
  );
  if (isNumber && !isListed) {
    const version = { kind: 'snapshot' as const, id: wanted };
    found.push({ version, detail: '', millis: null });
  }
  return found;
}
