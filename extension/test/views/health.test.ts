import { beforeEach, describe, expect, it } from 'vitest';
import type { FindingValue, HealthValue } from '../../src/contract';
import {
  catalogHealthView,
  type CatalogHealthEvent,
  type CatalogHealthValue
} from '../../src/views/health/catalog';
import {
  healthView,
  type HealthEvent,
  type HealthShown
} from '../../src/views/health/health';
import { stage } from './values';

const HOSTILE = '<img src=x onerror="window.hacked = true">';

function finding(facts: Partial<FindingValue> = {}): FindingValue {
  return {
    id: 'sorted-runs',
    check: 'sorted-runs',
    severity: 'poor',
    title: `3 of 8 buckets of ${HOSTILE} have more than 5 sorted runs`,
    amount: 14,
    amount_text: '14 sorted runs',
    limit: 5,
    limit_text: 'compaction trigger 5, stop trigger 8',
    why: 'Reads merge all runs.',
    read: 'Each read of bucket 3 merges 14 sorted runs.',
    write: '',
    gain: '',
    advice: '',
    fix: {
      python: 'table.compact(full=True)',
      sql: "CALL sys.compact(table => 'db.t')",
      loss: ''
    },
    places: [
      {
        label: HOSTILE,
        amount: 14,
        text: '14 sorted runs',
        severity: 'poor',
        bucket: ':3'
      }
    ],
    places_total: 3,
    ...facts
  };
}

function health(facts: Partial<HealthValue> = {}): HealthValue {
  return {
    table: 'db.t',
    kind: 'primary-key',
    snapshot: '9007199254740993',
    condition: 'poor',
    text: '2 findings of 20 checks: 1 poor, 1 notice.',
    files: '90',
    size: '5242880',
    stored_rows: '845910',
    buckets: '8',
    read_amplification: 2.6,
    findings: [finding(), finding({ id: 'options:a', fix: null, limit: 0 })],
    checked: [
      {
        check: 'damage',
        title: 'Damaged metadata',
        group: 'storage',
        severity: 'good',
        text: 'The metadata of the version can be read.',
        on_demand: false
      }
    ],
    storage: false,
    damage: null,
    previews: [],
    ...facts
  };
}

function shown(value: HealthValue) {
  const view = stage<HealthValue, HealthEvent>(healthView);
  view.update(value);
  const click = (selector: string) =>
    view.root
      .querySelector<HTMLElement>(selector)
      ?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  return { ...view, click };
}

describe('the health of a table', () => {
  beforeEach(() => document.body.replaceChildren());

  it('shows the worst finding open, with its fix', () => {
    const { root } = shown(health());
    const cards = [
      ...root.querySelectorAll<HTMLDetailsElement>('.pwv-finding')
    ];
    expect(cards.map(card => card.open)).toEqual([true, false]);
    expect(cards[0].textContent).toContain("CALL sys.compact(table => 'db.t')");
    expect(cards[1].textContent).toContain('No statement fixes this.');
    expect(root.textContent).toContain('snapshot 9007199254740993');
    expect(cards[0].textContent).toContain('poor: ');
    expect(cards[0].querySelector('.pwv-bar line')).not.toBeNull();
    expect(cards[1].querySelector('.pwv-bar line')).toBeNull();
    expect(root.querySelector('img')).toBeNull();
  });

  it('is calm if there is nothing to do', () => {
    const { root } = shown(
      health({
        condition: 'good',
        findings: [],
        text: '20 checks found no problem.'
      })
    );
    expect(root.querySelector('.pwv-condition')?.textContent).toContain(
      'Nothing to do'
    );
    expect(root.querySelectorAll('.pwv-finding')).toHaveLength(0);
  });

  it('asks for previews and listings', () => {
    const { events, click } = shown(health());
    click('[data-action=preview]');
    click('[data-action=storage]');
    expect(events).toEqual([
      { kind: 'preview', id: 'sorted-runs' },
      { kind: 'check-storage' }
    ]);
  });

  it.each([true, false])(
    'offers no changes in a read-only catalog: %s',
    readOnly => {
      const read = () => Promise.reject(new Error('nothing is read'));
      const view = stage<HealthShown, HealthEvent>(healthView, { read });
      view.update({ ...health(), readOnly });
      const actions = [
        ...view.root.querySelectorAll<HTMLElement>('.pwv-fix [data-action]')
      ].map(({ dataset }) => dataset.action);
      expect(actions).toContain('preview');
      expect(actions.includes('insert')).toBe(!readOnly);
      expect(
        view.root.textContent.includes('The catalog refuses every change')
      ).toBe(readOnly);
    }
  );

  it('shows what a preview found, in its open card', () => {
    const { root, update } = shown(health());
    const state = {
      snapshot: '3',
      files: '90',
      size: '5242880',
      stored_rows: '845910',
      runs: 14,
      read_amplification: 2.6,
      snapshots: '10',
      condition: 'poor' as const
    };
    update(
      health({
        previews: [
          {
            finding: 'sorted-runs',
            title: '',
            fix: finding().fix!,
            before: state,
            after: { ...state, files: '8', runs: 1, read_amplification: 1 },
            files_written: '12',
            bytes_written: '1024',
            files_deleted: '1',
            bytes_deleted: '0',
            seconds: 1.25,
            gone: true,
            remaining: []
          }
        ]
      })
    );
    const text = root.querySelector('.pwv-preview')?.textContent ?? '';
    expect(text).toContain('The finding is resolved afterwards.');
    expect(text).toContain(
      '12 files (1.0 KiB) written, 1 file (0 B) to be deleted.'
    );
    expect(text).toContain('2.6 ×');
    expect(root.querySelector('[role=status]')?.textContent).toContain('db.t');
  });

  it('moves from finding to finding by arrow keys', () => {
    const { root } = shown(health());
    const summaries = [
      ...root.querySelectorAll<HTMLElement>('summary[data-focus^="finding:"]')
    ];
    summaries[0].focus();
    summaries[0].dispatchEvent(
      new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true })
    );
    expect(document.activeElement).toBe(summaries[1]);
    expect(summaries.map(each => each.tabIndex)).toEqual([-1, 0]);
  });
});

describe('the health of a catalog', () => {
  const value: CatalogHealthValue = {
    catalog: '/lake',
    condition: 'poor',
    text: '1 of 3 tables: 1 poor.',
    tables: [
      {
        table: HOSTILE,
        condition: 'poor',
        finding: 'damaged',
        findings: 1,
        sql: '',
        files: '1',
        size: '9007199254740993',
        snapshot: null
      }
    ],
    total: 3,
    is_complete: false,
    cancelled: false
  };

  it('shows progress until all tables are read, and stops on demand', () => {
    const view = stage<CatalogHealthValue, CatalogHealthEvent>(
      catalogHealthView
    );
    view.update({ ...value, condition: 'good', tables: [] });
    expect(view.root.querySelector('.pwv-condition')).toBeNull();
    view.update(value);
    expect(view.root.querySelector('.pwv-condition')).not.toBeNull();
    expect(view.root.textContent).toContain('1 of 3 tables read…');
    view.root.querySelector<HTMLElement>('[data-focus=cancel]')?.click();
    expect(view.events).toEqual([{ kind: 'cancel' }]);
    view.update({ ...value, is_complete: true, cancelled: true });
    expect(view.root.querySelector('progress')).toBeNull();
    expect(view.root.textContent).toContain('Reading was stopped after 1 of 3');
    expect(view.root.querySelector('img')).toBeNull();
  });
});
