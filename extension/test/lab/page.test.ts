import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PageModel } from '../../src/page/model';
import type { PageLocation } from '../../src/page/pageState';
import type { ContentsValue } from '../../src/contract';
import {
  canRollBack,
  isKnownDamaged,
  readableOf,
  verdictOf
} from '../../src/page/damage';
import {
  COLUMNS,
  COUNT,
  ESTIMATE,
  partOf,
  ROWS,
  SUMMARY,
  TIMELINE,
  type Part
} from '../../src/page/parts';
import { parseVersion, versionText } from '../../src/state/version';
import type { ViewDefinition } from '../../src/viewDefinitions/definition';
import { LEVELS } from '../../src/viewDefinitions/levels';
import { viewDefinitions } from '../../src/viewDefinitions/registry';
import { SCHEMA } from '../../src/viewDefinitions/schema';
import { TIMELINE as TIMELINE_VIEW } from '../../src/viewDefinitions/timeline';
import { FakeSource, settled } from './fakeSource';

const name = { catalog: 'lake', database: 'shop', table: 'orders' };
let source: FakeSource;
let follows: boolean;

async function openPage(location: PageLocation = {}): Promise<PageModel> {
  const page = new PageModel(name, source, { follow: () => follows }, location);
  await settled();
  return page;
}

const summaryOf = (page: PageModel) => partOf(page.store.state, SUMMARY);
const timelineOf = (page: PageModel) => partOf(page.store.state, TIMELINE);
const bucketOf = (page: PageModel) =>
  LEVELS.tab?.fromPageState?.(page.store.state)?.bucket?.id;
const shown = (page: PageModel) => summaryOf(page).value?.snapshot;

// The pane of the overview needs a browser; the model needs only what it shows.
const OVERVIEW: ViewDefinition = {
  name: 'overview',
  tab: { title: () => '', part: SUMMARY as Part }
};
// A tab with rows, like the real overview.
const DATA: ViewDefinition = {
  name: 'data',
  tab: {
    title: () => '',
    part: SUMMARY as Part,
    others: [ROWS, COLUMNS] as Part[],
    onDemand: [ESTIMATE, COUNT] as Part[],
    arguments: { where: { type: 'string' } }
  }
};
[OVERVIEW, DATA, SCHEMA, TIMELINE_VIEW, LEVELS].forEach(view =>
  viewDefinitions.register(view)
);

beforeEach(() => {
  source = new FakeSource({ lake: { shop: ['orders'] } });
  follows = true;
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
    const page = new PageModel(
      name,
      source,
      { follow: () => follows },
      location
    );
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
    await vi.advanceTimersByTimeAsync(600);
    expect(shown(page)).toBe('6');
    expect(story(page)).toEqual(['4 +10', '5 +10', '6 +10']);
    expect(page.store.state.arrived).toBe('6');
    expect(reads()).toEqual(['levels 4', 'levels 5', 'levels latest']);
  });

  it('are at most five, and those before are counted', async () => {
    const page = await openLevels();
    source.commit(10);
    await vi.advanceTimersByTimeAsync(5000);
    expect(reads()).toHaveLength(5);
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

describe('damage', () => {
  it('of a manifest leaves the other tabs, and a version that reads is offered', async () => {
    source.broken.add('levels latest');
    const page = await openPage({ tab: 'levels' });
    expect(summaryOf(page).status).toBe('ready');
    expect(readableOf(page.store.state)).toBe('2');
    expect(isKnownDamaged(page.store.state)).toBe(true);
    page.showVersion(parseVersion('2'));
    await settled();
    expect(bucketOf(page)).toBeUndefined();
    expect(readableOf(page.store.state)).toBeNull();
    expect(isKnownDamaged(page.store.state)).toBeNull();
  });

  it('of a data file asks for a version without that file', async () => {
    source.broken.add('rows latest');
    const page = await openPage({ tab: 'data' });
    expect(source.requests).toContain('readable latest /data/rows latest');
    expect(readableOf(page.store.state)).toBe('2');
  });

  it.each(['rows latest', 'levels latest'])(
    'makes the condition poor, whichever read noticed it: %s',
    async broken => {
      const verdict = {
        condition: 'good',
        text: 'Fine.',
        files_after: '1'
      } as const;
      const contents = { verdict } as ContentsValue;
      const tab = broken.startsWith('levels') ? 'levels' : 'data';
      const healthy = await openPage({ tab });
      expect(verdictOf(healthy.store.state, contents)).toBe(verdict);
      source.broken.add(broken);
      const page = await openPage({ tab });
      expect(verdictOf(page.store.state, contents)).toMatchObject({
        condition: 'poor',
        text: `${broken} is broken.`
      });
    }
  );

  it('can be undone by a rollback if it is in the newest version', async () => {
    source.broken.add('rows');
    const page = await openPage({ tab: 'data' });
    const versions = ['latest', '3', '2', 'tag:first'];
    const can = [];
    for (const version of versions) {
      page.showVersion(parseVersion(version));
      await settled();
      can.push(canRollBack(page.store.state));
    }
    expect(can).toEqual([true, true, false, false]);
  });

  it('is over when the latest version can be read', async () => {
    source.broken.add('summary');
    const page = await openPage();
    expect(isKnownDamaged(page.store.state)).toBe(true);
    source.broken.clear();
    page.refresh();
    await settled();
    expect(isKnownDamaged(page.store.state)).toBe(false);
  });
});
