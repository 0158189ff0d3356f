import { beforeEach, describe, expect, it } from 'vitest';
import type { HistoryValue, Int64 } from '../../src/contract';
import { changesText } from '../../src/views/details';
import { HistoryLoader } from '../../src/views/history/loader';
import { Viewport } from '../../src/views/history/viewport';
import { timelineView } from '../../src/views/history/timeline';
import type { TableRead } from '../../src/views/stage';
import { Texts } from '../../src/views/texts';
import { snapshot, stage, timeline } from './values';

const LISTED = [97, 98, 99, 100];

/** A history from `start`, in bins that end with the given snapshots. */
function history(start: number, ends: readonly number[]): HistoryValue {
  const texts = (of: (id: number) => number): Int64[] =>
    ends.map(id => String(of(id)));
  const sizes = ends.map((id, at) => id - (at ? ends[at - 1] : start - 1));
  const none = ends.map(() => 0);
  const end = ends[ends.length - 1];
  return {
    ...{ table: 'shop.orders', zone: 'UTC', first: '1', last: '100' },
    ...{
      start: String(start),
      end: String(end),
      since_millis: String(start * 1000)
    },
    ...{ total: String(end - start + 1), read: String(end - start + 1) },
    complete: true,
    bins: {
      ids: texts(id => id),
      times: texts(id => id * 1000),
      rows: texts(id => id * 10),
      added: sizes.map(size => String(size * 10)),
      ...{ appends: sizes, compacts: none, overwrites: none, analyzes: none },
      files: texts(id => id * 2),
      bytes: texts(id => id * 1024),
      runs: ends.map(() => 3)
    },
    marks: [
      { kind: 'branch', name: 'dev', snapshot: '98', time_millis: '98000' }
    ]
  };
}

const tens = Array.from({ length: 10 }, (_, at) => (at + 1) * 10);
const value = timeline(
  LISTED.map(id => snapshot(String(id))),
  {
    total: 100,
    next: '97',
    whole: history(1, tens),
    listed: history(97, LISTED)
  }
);

describe('the value of a timeline without a server', () => {
  let loader: HistoryLoader;
  beforeEach(() => {
    loader = new HistoryLoader(undefined, () => undefined);
    loader.update(value);
  });

  it('is the whole history, and finer bins for the listed snapshots', () => {
    expect([loader.whole!.start, loader.whole!.end]).toEqual([1, 100]);
    expect([...loader.part!.ends]).toEqual(LISTED);
    expect([...loader.part!.curves.bytes]).toEqual(LISTED.map(id => id * 1024));
    expect(loader.pins.map(({ name }) => name)).toEqual(['dev']);
    expect([loader.isComplete, loader.progress]).toEqual([true, null]);
  });

  it('is drawn with all curves', () => {
    const shown = stage(timelineView);
    shown.update({ timeline: value, selected: null });
    const names = shown.root.querySelector('.pwv-map-names')!.textContent!;
    for (const name of ['stored rows', 'bytes', 'files', 'sorted runs']) {
      expect(names).toContain(name);
    }
    expect(shown.root.querySelector('.pwv-pin-branch')!.textContent).toContain(
      'dev'
    );
    const map = shown.root.querySelector('[data-part="map"]')!;
    expect(map.getAttribute('aria-label')).toContain('100 snapshots');
  });

  it('may lack the history, as older notebooks do', () => {
    const old = { ...value, whole: undefined, listed: undefined };
    loader.update(old as unknown as typeof value);
    expect([loader.whole!.start, loader.whole!.end]).toEqual([97, 100]);
    expect(loader.part).toBeNull();
  });

  it('has the nearest snapshot at each place, in fine bins or not', () => {
    const viewport = new Viewport();
    viewport.fit(loader.whole!, loader.part, 800, null);
    expect([98.2, 31.4, -5].map(each => viewport.snapshotAt(each))).toEqual([
      98, 31, 1
    ]);
    viewport.respace('time');
    expect([98_200, 31_000, 0].map(each => viewport.snapshotAt(each))).toEqual([
      98, 30, 10
    ]);
  });
});

describe('a timeline without the changes of its commits', () => {
  const bare = value.snapshots.map(each => ({ ...each, figures: null }));
  const requests: object[] = [];
  const read = (async (endpoint: string, request: { start: Int64 }) => {
    if (endpoint !== 'snapshots') {
      return new Promise(() => undefined);
    }
    requests.push(request);
    const { start } = request;
    return { snapshots: value.snapshots.filter(({ id }) => id === start) };
  }) as unknown as TableRead;
  let loader: HistoryLoader;

  beforeEach(() => {
    requests.length = 0;
    loader = new HistoryLoader(read, () => undefined);
    loader.update({ ...value, snapshots: bare });
  });

  it('has those of a snapshot once it is shown', async () => {
    expect(loader.factsOf('99')).toMatchObject({ id: '99', figures: null });
    expect(loader.factsOf('99')).toMatchObject({ id: '99', figures: null });
    await Promise.resolve();
    await Promise.resolve();
    expect(loader.factsOf('99')?.figures).not.toBeNull();
    expect(requests).toEqual([{ start: '99', end: '99' }]);
  });

  it('shows its stored rows in the meantime', () => {
    const texts = new Texts();
    expect(changesText(bare[0], texts)).toContain('details not read');
    expect(changesText({ ...bare[0], rows_added: null }, texts)).toBe(
      'not read'
    );
  });
});
