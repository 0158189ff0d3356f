import { beforeEach, describe, expect, it } from 'vitest';
import type { ExplainValue, StepValue } from '../../src/contract';
import { explainView } from '../../src/views/explain/picture';
import { press, stage } from './values';

const HOSTILE = '<img src=x onerror="window.hacked = true">';

function step(name: string, given: Partial<StepValue> = {}): StepValue {
  return {
    name,
    title: name,
    reason: 'a reason',
    files: 4,
    size: '4000',
    rows: '40',
    excluded_files: 0,
    excluded_size: '0',
    excluded_rows: '0',
    certainty: 'exact',
    facts: [],
    more_facts: 0,
    listed: [],
    ...given
  };
}

function explained(given: Partial<ExplainValue> = {}): ExplainValue {
  return {
    table: 'd.t',
    snapshot: '9007199254740993',
    where: 'id > 5',
    columns: ['id'],
    kind: 'primary-key',
    manifests: 1,
    manifests_excluded: 0,
    steps: [
      step('all'),
      step('partition', {
        files: 1,
        size: '1000',
        rows: '9007199254740993',
        excluded_files: 3,
        excluded_size: '3000',
        excluded_rows: '30',
        facts: [
          { condition: HOSTILE, detail: '', files: 3, size: '3000', rows: '30' }
        ],
        listed: [
          {
            name: 'data-1',
            partition: HOSTILE,
            bucket: 0,
            level: 0,
            rows: '10',
            size: '1000',
            fact: 'dt = 1'
          }
        ]
      }),
      step('column', {
        files: 1,
        size: '400',
        excluded_size: '600',
        certainty: 'estimate'
      }),
      step('returned', { files: null, size: null, rows: null })
    ],
    row_groups: 1,
    chosen_groups: 1,
    splits: {
      splits: [
        {
          partition: '',
          bucket: 0,
          files: 3,
          size: '3000',
          rows: '30',
          raw: false,
          reason: 'runs must be merged',
          raw_files: 1,
          raw_size: '1000',
          raw_rows: '10',
          merging: 1,
          sections: [
            {
              keys: '1 to 9',
              reason: '2 sorted runs have overlapping keys',
              runs: [
                { level: 0, files: 1, rows: '10', size: '1000' },
                { level: 5, files: 1, rows: '10', size: '1000' }
              ]
            }
          ]
        }
      ],
      total: 1,
      raw: 0,
      merged_files: 2,
      merged_size: '2000',
      held_files: 1,
      held_size: '1000'
    },
    column_use: {
      columns: [
        { name: 'id', read: true, reason: 'selected', size: '400' },
        { name: HOSTILE, read: false, reason: '', size: '600' }
      ],
      read_size: '400',
      all_size: '1000',
      described: 1,
      files: 1,
      note: ''
    },
    suggestions: [
      {
        name: 'sort',
        title: 'Sort the rows by id',
        reason: 'because',
        files: 2,
        size: '2048',
        certainty: 'at most',
        statements: ["CALL sys.compact(table => 'd.t')"]
      }
    ],
    run: null,
    ...given
  };
}

let shown: ReturnType<typeof open>;
const open = () => stage(explainView);
const text = () => shown.root.textContent?.replace(/\s+/g, ' ') ?? '';
const row = (name: string) =>
  shown.root.querySelector<HTMLElement>(`[data-step="${name}"]`)!;
const bar = (name: string) =>
  row(name).querySelector<HTMLElement>('.pwv-step-left')?.style.width;
const button = (focus: string) =>
  shown.root.querySelector<HTMLElement>(`button[data-focus="${focus}"]`)!;

beforeEach(() => {
  shown = open();
  shown.update(explained());
});

describe('the funnel', () => {
  it('narrows step by step, by bytes, files or rows', () => {
    expect([bar('all'), bar('partition'), bar('column')]).toEqual([
      '100%',
      '25%',
      '10%'
    ]);
    expect(bar('returned')).toBeUndefined();
    button('measure:files').click();
    expect([bar('partition'), bar('column')]).toEqual(['25%', '25%']);
    button('measure:rows').click();
    expect(text()).toContain('9,007,199,254,740,993 rows');
    expect(button('measure:rows').getAttribute('aria-pressed')).toBe('true');
  });

  it('says how numbers are known, and names each step in full', () => {
    expect(row('column').textContent).toContain('about 400 B');
    expect(row('partition').getAttribute('aria-label')).toContain(
      '3 files, 2.9 KiB, 30 rows'
    );
    expect(row('returned').getAttribute('aria-label')).toContain('not counted');
  });

  it('begins with the step that leaves out most files', () => {
    expect(row('partition').getAttribute('aria-selected')).toBe('true');
    expect(text()).toContain('1 of 3 files left out');
    expect(text()).toContain('data-1');
  });

  it('is one tab stop, and arrow keys and Enter choose', () => {
    expect(
      shown.root.querySelectorAll('[data-ring] [tabindex="0"]')
    ).toHaveLength(1);
    row('partition').focus();
    press('ArrowDown');
    expect(document.activeElement).toBe(row('column'));
    press('Enter');
    expect(row('column').getAttribute('aria-selected')).toBe('true');
    expect(shown.events).toContainEqual({
      kind: 'select-step',
      name: 'column'
    });
    press('Home');
    expect(document.activeElement).toBe(row('all'));
  });

  it('shows more files on request', () => {
    button('more-files').click();
    expect(shown.events).toEqual([{ kind: 'more-files', name: 'partition' }]);
  });
});

describe('below the funnel', () => {
  it('draws what is read as it is, and each run that is merged', () => {
    expect(
      shown.root.querySelectorAll('.pwv-split .pwv-read-raw')
    ).toHaveLength(1);
    expect(
      shown.root.querySelectorAll('.pwv-split .pwv-read-merged')
    ).toHaveLength(2);
    expect(text()).toContain('runs must be merged');
    expect(text()).toContain('1 file contains no matching row');
  });

  it('compares the columns that are read with all', () => {
    expect(text()).toContain('1 of 2 columns read: 400 B of 1,000 B');
  });

  it('suggests with the saving and the statement', () => {
    expect(text()).toContain('saves at most 2 files, 2.0 KiB');
    expect(text()).toContain("CALL sys.compact(table => 'd.t');");
    shown.update(explained({ suggestions: [] }));
    expect(text()).toContain('The metadata shows nothing');
  });

  it('runs, and reads all footers, on request', () => {
    button('run').click();
    button('all-footers').click();
    expect(shown.events).toEqual([{ kind: 'run' }, { kind: 'all-footers' }]);
    shown.update(explained({ run: { rows: '7', millis: 1234 } }));
    expect(text()).toContain('The read returned 7 rows in 1.23 s.');
    expect(button('run')).toBeNull();
  });
});

it('shows hostile names and values as text', () => {
  shown.update(explained({ where: HOSTILE }));
  expect(shown.root.querySelector('img')).toBeNull();
  expect(text()).toContain(HOSTILE);
});

it('shows a table that was never written', () => {
  const none = step('all', { files: 0, size: '0', rows: '0' });
  const splits = { ...explained().splits, splits: [], total: 0, held_files: 0 };
  shown.update(
    explained({ snapshot: null, steps: [none], splits, suggestions: [] })
  );
  expect(text()).toContain('No snapshots yet');
});
