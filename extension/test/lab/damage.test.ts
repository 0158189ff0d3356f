import { beforeEach, describe, expect, it } from 'vitest';
import type { PageLocation } from '../../src/page/pageState';
import type { ContentsValue } from '../../src/contract';
import {
  canRollBack,
  isKnownDamaged,
  readableOf,
  verdictOf
} from '../../src/page/damage';
import { partOf, SUMMARY } from '../../src/page/parts';
import { parseVersion } from '../../src/state/version';
import { settled, type FakeSource } from './fakeSource';
import { bucketOf, openPageOf, sourceOfOrders } from './openPage';

let source: FakeSource;

const openPage = (location: PageLocation = {}) => openPageOf(source, location);

beforeEach(() => {
  source = sourceOfOrders();
});

describe('damage', () => {
  it('of a manifest leaves the other tabs, and a version that reads is offered', async () => {
    source.broken.add('levels latest');
    const page = await openPage({ tab: 'levels' });
    expect(partOf(page.store.state, SUMMARY).status).toBe('ready');
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
