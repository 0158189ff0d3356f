import { beforeEach, describe, expect, it, vi } from 'vitest';
import { PageModel } from '../../src/page/model';
import type { PageLocation } from '../../src/page/pageState';
import {
  COUNT,
  ESTIMATE,
  partOf,
  ROWS,
  SUMMARY,
  TIMELINE,
  type Part
} from '../../src/page/parts';
import { parseVersion, versionText } from '../../src/state/version';
import { DEAD, settled, type FakeSource } from './fakeSource';
import { bucketOf, NAME as name, openPageOf, sourceOfOrders } from './openPage';

let source: FakeSource;
let follows: boolean;

const openPage = (location: PageLocation = {}) =>
  openPageOf(source, location, () => follows);
const summaryOf = (page: PageModel) => partOf(page.store.state, SUMMARY);
const timelineOf = (page: PageModel) => partOf(page.store.state, TIMELINE);
const shown = (page: PageModel) => summaryOf(page).value?.snapshot;

beforeEach(() => {
  source = sourceOfOrders();
  follows = true;
});

describe('the version of a page', () => {
  it('is the newest snapshot, and moves on with it', async () => {
    const page = await openPage();
    expect(shown(page)).toBe('3');
    source.commit();
    await settled();
    expect(shown(page)).toBe('4');
    expect(page.store.state.arrived).toBe('4');
    expect(timelineOf(page).value?.snapshots[0].id).toBe('4');
  });

  it('stays where the user pinned it, and the page knows of newer ones', async () => {
    const page = await openPage({ version: parseVersion('2') });
    source.commit();
    await settled();
    expect(shown(page)).toBe('2');
    expect(page.store.state).toMatchObject({ newest: '4', arrived: null });
  });

  it('stays where the user does not want to follow', async () => {
    follows = false;
    const page = await openPage();
    source.commit();
    await settled();
    expect(shown(page)).toBe('3');
  });

  it('catches up with a commit that came while the first answer was on its way', async () => {
    const page = new PageModel(name, source, { follow: () => true }, {});
    source.commit();
    expect(source.requests).toEqual(['summary latest', 'timeline']);
    await settled();
    expect(shown(page)).toBe('4');
  });

  it('lists a commit that came while a pinned page was being read', async () => {
    const location = { version: parseVersion('1') };
    const page = new PageModel(name, source, { follow: () => true }, location);
    source.commit();
    await settled();
    expect(shown(page)).toBe('1');
    expect(timelineOf(page).value?.snapshots[0].id).toBe('4');
  });

  it('asks once, not on and on, where answers stay behind the news', async () => {
    const page = new PageModel(name, source, { follow: () => true }, {});
    source.commit();
    source.newest = 3;
    await settled();
    expect(
      source.requests.filter(each => each === 'summary latest')
    ).toHaveLength(2);
    expect(shown(page)).toBe('3');
  });

  it('goes one back and one forth, at the end to the latest', async () => {
    const page = await openPage();
    page.step('previous');
    await settled();
    expect(versionText(page.store.state.version)).toBe('2');
    page.step('next');
    await settled();
    expect(versionText(page.store.state.version)).toBe('3');
    page.step('next');
    expect(versionText(page.store.state.version)).toBe('latest');
    expect(page.neighbor('next')).toBeNull();
  });

  it('drives what the open tab shows, and what the others will show', async () => {
    const page = await openPage({ tab: 'levels', arguments: { bucket: ':1' } });
    page.showTab('schema');
    await settled();
    source.requests = [];
    page.showVersion(parseVersion('1'));
    await settled();
    expect(source.requests).toEqual(['summary 1', 'schema 1']);
    page.showTab('levels');
    await settled();
    expect(source.requests).toContain('levels 1 :1');
  });
});

describe('a page', () => {
  it('asks for a tab when it is first shown', async () => {
    const page = await openPage();
    expect(source.requests).toEqual(['summary latest', 'timeline']);
    page.showTab('levels');
    await settled();
    page.showTab('overview');
    page.showTab('levels');
    await settled();
    expect(
      source.requests.filter(each => each.startsWith('levels'))
    ).toHaveLength(1);
  });

  it('lists older snapshots below those that are there', async () => {
    const page = await openPage();
    await page.more(TIMELINE);
    const ids = timelineOf(page).value?.snapshots.map(({ id }) => id);
    expect(ids).toEqual(['3', '2', '1']);
  });

  it('shows the bucket that was chosen', async () => {
    const page = await openPage({ tab: 'levels' });
    page.setArguments({ bucket: ':7' });
    await settled();
    expect(bucketOf(page)).toBe(':7');
  });

  it('shows what went wrong, and recovers with the table', async () => {
    source.broken.add('summary');
    const page = await openPage();
    expect(summaryOf(page).error?.code).toBe('corrupt_file');
    source.broken.clear();
    source.commit();
    await settled();
    expect(shown(page)).toBe('4');
  });

  it('keeps what it shows when the table cannot be read any more', async () => {
    const page = await openPage();
    const error = {
      code: 'table_not_found',
      message: 'Gone.',
      hint: null,
      file: null
    };
    source.watchers.forEach(listen => listen({ kind: 'error', error }));
    expect(page.store.state.readError).toEqual(error);
    expect(shown(page)).toBe('3');
    page.refresh();
    await settled();
    expect(page.store.state.readError).toBeNull();
    page.dispose();
    expect(source.watchers.size).toBe(0);
  });
});

describe('a page of a storage that does not answer', () => {
  const levelsOf = (page: PageModel) => page.store.state.parts.levels;
  const error = () =>
    source.watchers.forEach(listen => listen({ kind: 'error', error: DEAD }));

  it('keeps what it shows, says why, and moves on when the storage is back', async () => {
    const page = await openPage({ tab: 'data' });
    page.ensure(ESTIMATE as Part);
    await settled();
    source.dead = true;
    error();
    page.refresh();
    await settled();
    expect(summaryOf(page)).toMatchObject({ status: 'failed', error: DEAD });
    expect(shown(page)).toBe('3');
    expect(partOf(page.store.state, ESTIMATE).value?.rows).toBe('7');
    expect(page.store.state.readError).toEqual(DEAD);
    source.dead = false;
    source.commit();
    await settled();
    expect(shown(page)).toBe('4');
    expect(page.store.state.readError).toBeNull();
    expect(partOf(page.store.state, ESTIMATE).status).toBe('idle');
  });

  it('says why it cannot be read although its server has not noticed yet', async () => {
    const page = await openPage();
    source.dead = true;
    page.refresh();
    await settled();
    expect(page.store.state.readError).toEqual(DEAD);
    source.dead = false;
    page.refresh();
    await settled();
    expect(page.store.state.readError).toBeNull();
    expect(summaryOf(page).status).toBe('ready');
  });

  it('reads again by itself what its catalog did not answer', async () => {
    const page = await openPage({ tab: 'data' });
    source.dead = true;
    vi.useFakeTimers();
    page.showTab('levels');
    await vi.advanceTimersByTimeAsync(0);
    expect(levelsOf(page)).toMatchObject({ status: 'failed', value: null });
    source.requests = [];
    const statuses = new Set<string>();
    page.store.subscribe(() => statuses.add(levelsOf(page).status));
    await vi.advanceTimersByTimeAsync(7_000);
    // After 2 and 6 seconds; only what has failed, and without a sign of it.
    expect(source.requests).toEqual(['levels latest', 'levels latest']);
    expect([...statuses]).toEqual(['failed']);
    source.dead = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(levelsOf(page).status).toBe('ready');
    expect(page.store.state.readError).toBeNull();
    source.dead = true;
    page.refresh();
    await vi.advanceTimersByTimeAsync(0);
    source.requests = [];
    page.dispose();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(source.requests).toEqual([]);
    vi.useRealTimers();
  });

  it('does not show the values of another version or of another filter', async () => {
    const page = await openPage({ tab: 'data' });
    source.dead = true;
    page.setArguments({ where: 'n > 5' });
    await settled();
    expect(partOf(page.store.state, ROWS)).toMatchObject({
      status: 'failed',
      value: null
    });
    page.showVersion(parseVersion('1'));
    await settled();
    expect(summaryOf(page)).toMatchObject({ status: 'failed', value: null });
  });

  it('keeps the rows above those that could not be read', async () => {
    const page = await openPage({ tab: 'data' });
    source.dead = true;
    await page.more(ROWS);
    expect(partOf(page.store.state, ROWS).value?.rows).toEqual([['0']]);
  });

  it('reads everything again that failed, also if it does not follow', async () => {
    follows = false;
    source.dead = true;
    const page = await openPage({ tab: 'levels' });
    error();
    expect(summaryOf(page)).toMatchObject({ status: 'failed', value: null });
    source.dead = false;
    source.announce();
    await settled();
    expect(shown(page)).toBe('3');
    expect(levelsOf(page).status).toBe('ready');
  });

  it('reads everything again that failed while the storage came back', async () => {
    const page = await openPage({ tab: 'levels' });
    error();
    source.dead = true;
    page.refresh();
    source.dead = false;
    source.announce();
    await settled();
    expect(summaryOf(page).status).toBe('ready');
    expect(levelsOf(page).status).toBe('ready');
    expect(page.store.state.readError).toBeNull();
  });
});

describe('the rows of a page', () => {
  const rowsOf = (page: PageModel) => partOf(page.store.state, ROWS).value;

  it('are read with their tab, and further ones below them', async () => {
    const page = await openPage({ tab: 'data' });
    expect(source.requests).toContain('rows latest');
    expect(source.requests).toContain('columns latest');
    await page.more(ROWS);
    expect(source.requests).toContain('rows latest 1');
    expect(rowsOf(page)?.rows).toEqual([['0'], ['1']]);
  });

  it('are read again for another filter, and nothing else is', async () => {
    const page = await openPage({ tab: 'data' });
    source.requests = [];
    page.setArguments({ where: 'n > 5' });
    await settled();
    expect(source.requests).toEqual(['rows latest n > 5']);
    expect(rowsOf(page)?.rows).toEqual([['n > 5']]);
  });

  it('are counted on demand, for one version', async () => {
    const page = await openPage({ tab: 'data' });
    expect(source.requests.join()).not.toContain('count');
    page.ensure(ESTIMATE as Part);
    page.reload(COUNT as Part);
    await settled();
    expect(partOf(page.store.state, ESTIMATE).value?.exact).toBe(false);
    expect(partOf(page.store.state, COUNT).value?.exact).toBe(true);
    page.showVersion(parseVersion('1'));
    await settled();
    expect(partOf(page.store.state, COUNT).status).toBe('idle');
  });

  it('do not keep the page from following while they are read', async () => {
    const page = await openPage({ tab: 'data' });
    page.reload(COUNT as Part);
    source.commit();
    await settled();
    expect(shown(page)).toBe('4');
  });
});
