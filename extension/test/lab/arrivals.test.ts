import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PageModel } from '../../src/page/model';
import { partOf, SUMMARY } from '../../src/page/parts';
import { parseVersion } from '../../src/state/version';
import type { FakeSource } from './fakeSource';
import { NAME as name, sourceOfOrders } from './openPage';

let source: FakeSource;

const shown = (page: PageModel) =>
  partOf(page.store.state, SUMMARY).value?.snapshot;

beforeEach(() => {
  source = sourceOfOrders();
});

describe('snapshots that arrive together', () => {
  const reads = () =>
    source.requests.filter(each => each.startsWith('levels '));
  const story = (page: PageModel) =>
    page.store.state.story.map(({ id, added }) => `${id} +${added}`);

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  async function openLevels(): Promise<PageModel> {
    const location = { tab: 'levels' };
    const page = new PageModel(name, source, { follow: () => true }, location);
    await vi.advanceTimersByTimeAsync(1);
    source.requests = [];
    return page;
  }

  it('are shown one after another, with what each did', async () => {
    const page = await openLevels();
    source.commit(3);
    await vi.advanceTimersByTimeAsync(1);
    expect([shown(page), story(page)]).toEqual(['4', ['4 +10']]);
    await vi.advanceTimersByTimeAsync(600);
    expect([shown(page), story(page)]).toEqual(['5', ['4 +10', '5 +10']]);
    expect(page.store.state.arrived).toBeNull();
    await vi.advanceTimersByTimeAsync(1200);
    expect(shown(page)).toBe('6');
    expect(story(page)).toEqual(['4 +10', '5 +10', '6 +10']);
    expect(page.store.state.arrived).toBe('6');
    expect(reads()).toEqual([
      'levels 4',
      'levels 5',
      'levels 6',
      'levels latest'
    ]);
  });

  it('are shown separately if the newer one is committed before the older one is read', async () => {
    const page = await openLevels();
    source.commit();
    source.newest += 1;
    await vi.advanceTimersByTimeAsync(2000);
    expect(shown(page)).toBe('5');
    expect(story(page)).toEqual(['4 +10', '5 +10']);
    source.announce();
    await vi.advanceTimersByTimeAsync(2000);
    expect(story(page)).toEqual(['4 +10', '5 +10']);
  });

  it('continue the story of those just before, and the page moves through those that arrive while it moves', async () => {
    const page = await openLevels();
    source.commit();
    await vi.advanceTimersByTimeAsync(1);
    source.commit(2);
    await vi.advanceTimersByTimeAsync(3000);
    source.commit();
    await vi.advanceTimersByTimeAsync(1000);
    expect(story(page)).toEqual(['4 +10', '5 +10', '6 +10', '7 +10']);
    await vi.advanceTimersByTimeAsync(10000);
    source.commit();
    await vi.advanceTimersByTimeAsync(1000);
    expect(story(page)).toEqual(['8 +10']);
  });

  it('are at most five, and those before are counted', async () => {
    const page = await openLevels();
    source.commit(10);
    await vi.advanceTimersByTimeAsync(5000);
    expect(reads()).toHaveLength(6);
    expect(shown(page)).toBe('13');
    expect(page.store.state.story.map(({ skipped }) => skipped)).toEqual([
      5, 0, 0, 0, 0
    ]);
  });

  it('are left out if they have expired', async () => {
    const page = await openLevels();
    source.broken.add('levels 4');
    source.commit(2);
    await vi.advanceTimersByTimeAsync(2000);
    expect(shown(page)).toBe('5');
    expect(page.store.state.story[0]).toMatchObject({ id: '5', skipped: 1 });
  });

  it('stop when the user chooses another version or tab', async () => {
    const page = await openLevels();
    source.commit(3);
    await vi.advanceTimersByTimeAsync(1);
    page.showVersion(parseVersion('2'));
    await vi.advanceTimersByTimeAsync(2000);
    expect(shown(page)).toBe('2');
    expect(story(page)).toEqual([]);
    page.showVersion(parseVersion('latest'));
    await vi.advanceTimersByTimeAsync(1);
    source.commit(3);
    await vi.advanceTimersByTimeAsync(1);
    page.showTab('timeline');
    await vi.advanceTimersByTimeAsync(1);
    expect(shown(page)).toBe('9');
  });

  it('are not played in tabs that do not show writes', async () => {
    const page = await openLevels();
    page.showTab('schema');
    await vi.advanceTimersByTimeAsync(1);
    source.commit(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(shown(page)).toBe('6');
  });
});
