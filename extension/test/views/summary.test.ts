import { beforeEach, describe, expect, it } from 'vitest';
import type { ContentsValue, SummaryValue } from '../../src/contract';
import { SavedModel } from '../../src/saved/model';
import { SUMMARY } from '../../src/viewDefinitions/summary';
import { summaryView, type SummaryEvent } from '../../src/views/summary/view';
import { Texts } from '../../src/views/texts';
import { stage, tableRows } from './values';

const HOSTILE = '<img src=x onerror="window.hacked = true">';

function contents(facts: Partial<ContentsValue> = {}): ContentsValue {
  return {
    partitions: 3,
    buckets: 6,
    files: '90',
    stored_rows: '845910',
    size: '5242880',
    runs: 4,
    count: { rows: '330000', exact: false, stored: '845910' },
    verdict: {
      condition: 'fair',
      text: '2 of 6 buckets are over the compaction trigger.',
      files_after: '6'
    },
    ...facts
  };
}

function summary(facts: Partial<SummaryValue> = {}): SummaryValue {
  return {
    table: 'shop.orders',
    location: '/lake/shop.db/orders',
    comment: null,
    kind: 'primary-key',
    fields: [
      {
        id: 0,
        name: 'id',
        type: 'BIGINT',
        nullable: false,
        role: 'primary key',
        comment: null,
        default: null
      }
    ],
    primary_key: ['id'],
    partition_keys: ['day'],
    options: [{ key: 'bucket', value: '2' }],
    schema_id: '0',
    snapshot: '12',
    time_millis: '1795280000000',
    commit_kind: 'APPEND',
    latest_snapshot: '12',
    earliest_snapshot: '3',
    contents: contents(),
    damage: null,
    ...facts
  };
}

function shown(value: SummaryValue) {
  const view = stage<SummaryValue, SummaryEvent>(summaryView);
  view.update(value);
  const text = (selector: string) =>
    [...view.root.querySelectorAll(selector)].map(item =>
      (item.textContent ?? '').replace(/\s+/g, ' ').trim()
    );
  return { ...view, text };
}

describe('the summary', () => {
  beforeEach(() => {
    delete (window as { hacked?: boolean }).hacked;
  });

  it('shows the condition, the rows and the other numbers', () => {
    const { text } = shown(summary());
    expect(text('h3')).toEqual(['shop.orders snapshot 12']);
    expect(text('.pwv-verdict')).toEqual([
      '! Needs attention. 2 of 6 buckets are over the compaction trigger.'
    ]);
    expect(text('.pwv-figures > div')).toEqual([
      'Rows about 330,000 845,910 stored, 2.6 × Count exactly',
      'Files 90',
      'Size 5.0 MiB',
      'Partitions 3',
      'Buckets 6',
      'Max sorted runs per bucket 4'
    ]);
    expect(text('.pwv-facts dt')).toEqual([
      'Snapshot',
      'Last commit',
      'Retained snapshots',
      'Schema',
      'Primary key',
      'Partitioned by',
      'Location'
    ]);
  });

  it('shows columns and options as tables', () => {
    const { root } = shown(summary());
    expect(tableRows(root, 'Columns')).toEqual([
      ['id', 'BIGINT NOT NULL', 'primary key', '']
    ]);
    expect(tableRows(root, 'Options')).toEqual([['bucket', '2']]);
  });

  it('asks for an exact count, and says when it is exact', () => {
    const { root, events, update, text } = shown(summary());
    root.querySelector<HTMLElement>('button')!.click();
    expect(events).toEqual([{ kind: 'count-rows', snapshot: '12' }]);
    const count = { rows: '328521', exact: true, stored: '845910' };
    update(summary({ contents: contents({ count }) }));
    expect(text('.pwv-figures > div')[0]).toBe(
      'Rows 328,521 845,910 stored, 2.6 ×'
    );
    const once = { rows: '845910', exact: true, stored: '845910' };
    update(summary({ contents: contents({ count: once }) }));
    expect(text('.pwv-figures > div')[0]).toBe('Rows 845,910 all stored once');
    const none = { rows: '0', exact: true, stored: '845910' };
    update(summary({ contents: contents({ count: none }) }));
    expect(text('.pwv-figures > div')[0]).toBe('Rows 0 845,910 stored');
  });

  it('speaks of files for an append table', () => {
    const { text } = shown(
      summary({ kind: 'append', primary_key: [], partition_keys: [] })
    );
    expect(text('.pwv-figures dt')).toEqual([
      'Rows',
      'Files',
      'Size',
      'Partitions'
    ]);
    expect(text('.pwv-figures dd').at(-1)).toBe('unpartitioned');
    const count = { rows: '845910', exact: true, stored: '845910' };
    const plain = shown(
      summary({ kind: 'append', contents: contents({ count }) })
    );
    expect(plain.text('.pwv-figures > div')[0]).toBe('Rows 845,910');
  });

  it('reports damage, and that a table was never written', () => {
    const damage = {
      code: 'corrupt',
      message: 'A file is cut.',
      hint: null,
      file: null
    };
    const damaged = shown(summary({ contents: null, damage }));
    expect(damaged.text('[role=alert]')).toEqual(['A file is cut.']);
    expect(damaged.text('.pwv-figures')).toEqual([]);
    const empty = shown(
      summary({ snapshot: null, time_millis: null, commit_kind: null })
    );
    expect(empty.text('.pwv-empty')[0]).toContain('No snapshots yet');
    expect(empty.text('.pwv-facts dd')[0]).toBe('none');
  });

  it('shows hostile names as text', () => {
    const { root } = shown(
      summary({
        table: HOSTILE,
        comment: HOSTILE,
        options: [{ key: HOSTILE, value: HOSTILE }],
        contents: contents({
          verdict: { condition: 'poor', text: HOSTILE, files_after: '1' }
        })
      })
    );
    tableRows(root, 'Options');
    expect(root.querySelector('img')).toBeNull();
    expect('hacked' in window).toBe(false);
  });

  it('needs the kernel to count', () => {
    const saved = {
      kind: 'summary',
      value: summary(),
      others: [],
      reduced: false,
      zone: 'UTC',
      selected: null,
      model: null
    };
    const model = new SavedModel(saved, SUMMARY.picture as never, new Texts());
    expect(model.get('notice')).toContain('of snapshot 12');
    model.send({ kind: 'count-rows', snapshot: '12' });
    expect(model.get('notice')).toContain('Run the cell to see it');
  });
});
