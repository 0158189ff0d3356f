import { beforeEach, describe, expect, it } from 'vitest';
import { levelsView } from '../../src/views/levels/picture';
import {
  bucket,
  file,
  focusedLabel,
  levels,
  press,
  run,
  stage,
  tableRows
} from './values';

const HOSTILE = '<img src=x onerror="window.hacked = true">';

const tree = [
  run(0, file('new', { start: 0.1, end: 0.4, rows: '40', deletes: '3' })),
  run(0, file('old', { start: 0.5, end: 0.9, rows: '2', size: '812' })),
  run(
    5,
    file('low', { start: 0, end: 0.45, rows: '1000', size: '35651584' }),
    file('high', {
      start: 0.46,
      end: 1,
      rows: '2000',
      min_key: '10',
      max_key: '20'
    })
  )
];

let shown: ReturnType<typeof open>;
const open = () => stage(levelsView);
const text = () => shown.root.textContent?.replace(/\s+/g, ' ') ?? '';
const cells = () =>
  [...shown.root.querySelectorAll<HTMLElement>('[data-file]')].map(
    cell => cell.dataset.file
  );
const cell = (name: string) =>
  shown.root.querySelector<HTMLElement>(`[data-file="${name}"]`)!;

beforeEach(() => {
  shown = open();
});

describe('one bucket', () => {
  beforeEach(() => shown.update(levels(tree)));

  it('sums up what a read merges', () => {
    const facts = '3 sorted runs, 4 files, 3,042 stored rows, 34.0 MiB';
    expect(text()).toContain(`${facts}; no merge needed on read`);
    const value = levels(tree);
    shown.update({ ...value, bucket: { ...value.bucket!, merged_runs: 2 } });
    expect(text()).toContain(`${facts}; reads merge up to 2 runs`);
  });

  it('adds up exactly beyond what a number holds', () => {
    const huge = ['9007199254740993', '2'].map((rows, index) =>
      run(index, file(`f${index}`, { rows }))
    );
    shown.update(levels(huge));
    expect(text()).toContain('9,007,199,254,740,995 stored rows');
  });

  it('draws the runs from the newest to the last level', () => {
    expect(cells()).toEqual(['new', 'old', 'low', 'high']);
    expect(text()).toContain('L1 to L4 are empty');
    expect(cell('low').getAttribute('style')).toContain('45%');
  });

  it('tells all of a file that has the focus', () => {
    cell('new').focus();
    const facts = shown.root.querySelector('.pwv-part-facts')!.textContent!;
    for (const fact of [
      'new',
      'run 1 of 2',
      '40',
      '3',
      '2.0 KiB',
      '2,048 B',
      '1 to 9'
    ]) {
      expect(facts).toContain(fact);
    }
    expect(focusedLabel()).toBe(
      'new, L0, 40 rows, 3 deletes, 2.0 KiB, keys 1 to 9'
    );
  });

  it('goes on telling the file that was pointed at last', () => {
    const point = (target: Element) =>
      target.dispatchEvent(new Event('pointerover', { bubbles: true }));
    point(cell('low'));
    point(shown.root);
    const facts = shown.root.querySelector('.pwv-part-facts')!.textContent!;
    expect(facts).toContain('low');
    expect(facts).toContain('35,651,584 B');
  });

  it('has one tab stop that arrows move', () => {
    const stops = shown.root.querySelectorAll('[data-file][tabindex="0"]');
    expect([...stops]).toEqual([cell('new')]);
    cell('new').focus();
    const path = [];
    for (const key of [
      'ArrowDown',
      'ArrowDown',
      'ArrowRight',
      'ArrowUp',
      'End',
      'ArrowLeft'
    ]) {
      press(key);
      path.push((document.activeElement as HTMLElement).dataset.file);
    }
    // ArrowDown keeps the position on the axis from which it started.
    expect(path).toEqual(['old', 'low', 'high', 'old', 'old', 'old']);
    press('End', { ctrlKey: true });
    expect(document.activeElement).toBe(cell('high'));
    press('Home');
    expect(document.activeElement).toBe(cell('low'));
    press('Home', { ctrlKey: true });
    expect(document.activeElement).toBe(cell('new'));
    expect(
      shown.root.querySelectorAll('[data-file][tabindex="0"]')
    ).toHaveLength(1);
  });

  it('emits the file that is chosen, by key and by mouse', () => {
    cell('old').focus();
    press('Enter');
    cell('high').click();
    expect(shown.events).toEqual([
      { kind: 'select-file', name: 'old' },
      { kind: 'select-file', name: 'high' }
    ]);
    expect(cell('old').getAttribute('aria-selected')).toBe('false');
    expect(cell('high').getAttribute('aria-selected')).toBe('true');
  });

  it('is also a table with the same numbers', () => {
    expect(tableRows(shown.root, 'Files').map(row => row.slice(0, 8))).toEqual([
      ['1', 'L0', 'new', '40', '3', '2.0 KiB', '1', '9'],
      ['2', 'L0', 'old', '2', '0', '812 B', '1', '9'],
      ['3', 'L5', 'low', '1,000', '0', '34.0 MiB', '1', '9'],
      ['3', 'L5', 'high', '2,000', '0', '2.0 KiB', '10', '20']
    ]);
  });

  it('keeps the table open and current when the value changes', () => {
    tableRows(shown.root, 'Files');
    shown.update(levels(tree.slice(1), { snapshot: '13' }));
    expect(tableRows(shown.root, 'Files')).toHaveLength(3);
  });

  it('widens without losing the focus', () => {
    cell('low').focus();
    press('+');
    expect(document.activeElement).toBe(cell('low'));
    const plane = shown.root.querySelector('[data-ring="tree"]')!;
    expect(plane.getAttribute('style')).toContain('--pwv-zoom:2');
  });
});

describe('a new version', () => {
  const next = [
    run(0, file('newest')),
    run(5, tree[2].files[0], file('merged', { start: 0.46 }))
  ];

  beforeEach(() => shown.update(levels(tree)));

  it('marks and tells what changed', () => {
    shown.update(levels(next, { snapshot: '13' }));
    expect(shown.root.querySelector('[role=status]')!.textContent).toBe(
      'Snapshot 13: 2 files added, 3 removed.'
    );
    const fresh = [
      ...shown.root.querySelectorAll<HTMLElement>('.pwv-file.pwv-new')
    ];
    expect(fresh.map(item => item.dataset.file)).toEqual(['newest', 'merged']);
    expect(cell('newest').getAttribute('aria-label')).toMatch(/, new$/);
  });

  it('keeps focus and choice on the same file', () => {
    cell('low').focus();
    press('Enter');
    shown.update(levels(next, { snapshot: '13' }));
    expect(document.activeElement).toBe(cell('low'));
    expect(cell('low').getAttribute('aria-selected')).toBe('true');
  });

  it('keeps the focus in the picture when the file is gone', () => {
    cell('old').focus();
    shown.update(levels(next, { snapshot: '13' }));
    expect(document.activeElement).toBe(cell('newest'));
  });

  it('does not take the focus from elsewhere', () => {
    shown.update(levels(next, { snapshot: '13' }));
    expect(document.activeElement).toBe(document.body);
  });

  it('says nothing of the same version, and nothing of another table', () => {
    shown.update(levels(tree));
    expect(shown.root.querySelector('[role=status]')!.textContent).toBe('');
    shown.update(levels(next, { table: 'shop.items', snapshot: '3' }));
    expect(shown.root.querySelector('[role=status]')!.textContent).toBe('');
    expect(shown.root.querySelector('.pwv-new')).toBeNull();
  });
});

describe('many buckets', () => {
  const buckets = ['a', 'b'].flatMap(partition =>
    [0, 1, 2].map(number =>
      bucket(`${partition}:${number}`, `dt=${partition}`, number, {
        runs: number + 1,
        files: 10 * (number + 1),
        rows: '9007199254740993',
        deletes: number === 2 ? null : '3',
        size: '2048'
      })
    )
  );
  const value = levels(tree, {
    buckets,
    total: 8,
    next: 'b:2',
    bucket: { ...levels(tree).bucket!, id: 'b:1', partition: 'dt=b', bucket: 1 }
  });
  const place = (id: string) =>
    shown.root.querySelector<HTMLElement>(`[data-bucket="${id}"]`)!;

  beforeEach(() => shown.update(value));

  it('tell their totals, and that more are to come', () => {
    expect(text()).toContain(
      '6 of 8 buckets are shown: 120 files, 54,043,195,528,445,958 stored rows, 12.0 KiB; max 3 sorted runs per bucket'
    );
    shown.root.querySelector<HTMLElement>('[data-more]')!.click();
    expect(shown.events).toEqual([{ kind: 'more-buckets', cursor: 'b:2' }]);
  });

  it('carry their number and all their facts', () => {
    expect(place('a:1').textContent!.trim()).toBe('2');
    expect(place('a:1').getAttribute('aria-label')).toBe(
      'dt=a, bucket 1, 2 sorted runs, 20 files, 9,007,199,254,740,993 rows, 3 deletes (0.1%), 2.0 KiB'
    );
    expect(place('b:1').getAttribute('aria-selected')).toBe('true');
  });

  it('are shaded by another measure', () => {
    const select = shown.root.querySelector('select')!;
    select.value = 'deletes';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    expect(place('a:2').textContent!.trim()).toBe('?');
    expect(place('a:1').textContent!.trim()).toBe('0.1%');
  });

  it('are walked by arrows and chosen by Enter', () => {
    for (const item of buckets) {
      const top = item.partition === 'dt=a' ? 0 : 30;
      Object.defineProperty(place(item.id), 'offsetTop', { value: top });
      Object.defineProperty(place(item.id), 'offsetLeft', {
        value: item.bucket * 50
      });
    }
    place('b:1').focus();
    press('ArrowUp');
    expect(document.activeElement).toBe(place('a:1'));
    press('ArrowRight');
    press('ArrowDown');
    expect(document.activeElement).toBe(place('b:2'));
    press('Enter');
    expect(shown.events).toEqual([{ kind: 'select-bucket', id: 'b:2' }]);
    press('Home');
    expect(document.activeElement).toBe(place('a:0'));
  });

  it('keep the focus when the chosen one is drawn', () => {
    place('b:2').focus();
    const now = { ...value.bucket!, id: 'b:2', bucket: 2 };
    shown.update({ ...value, bucket: now });
    expect(document.activeElement).toBe(place('b:2'));
    expect(place('b:2').getAttribute('aria-selected')).toBe('true');
    expect(shown.root.querySelector('[role=status]')!.textContent).toContain(
      'dt=b, bucket 2: 3 sorted runs'
    );
  });
});

describe('nothing to draw', () => {
  const none = { buckets: [], total: 0, bucket: null };

  it('says that the table was never written', () => {
    shown.update(levels([], { ...none, snapshot: null }));
    expect(text()).toContain('No snapshots yet.');
  });

  it('says that the version has no files', () => {
    shown.update(levels([], none));
    expect(text()).toContain('Snapshot 12 has no files');
    expect(shown.root.querySelector('[role=grid]')).toBeNull();
  });

  it('forgets the files of the version before', () => {
    shown.update(levels(tree));
    shown.update(levels([], { ...none, snapshot: '13' }));
    expect(cells()).toEqual([]);
    expect(shown.root.querySelector('[role=status]')!.textContent).toContain(
      '0 files added, 4 removed'
    );
  });

  it('leaves nothing behind when it is disposed of', () => {
    shown.update(levels(tree));
    shown.dispose();
    expect(shown.root.innerHTML).toBe('');
  });
});

describe('an append table', () => {
  it('shows files in write order, without keys', () => {
    const facts = { min_key: null, max_key: null, deletes: null };
    const runs = [
      run(
        0,
        file('one', { ...facts, end: 0.5 }),
        file('two', { ...facts, start: 0.5 })
      )
    ];
    shown.update(levels(runs, { keys: [] }));
    expect(text()).toContain('2 files, 20 rows, 4.0 KiB');
    expect(text()).toContain('in write order');
    expect(text()).toContain('Width: rows');
    expect(text()).toContain('Files of shop.orders');
    const drawn = shown.root.querySelector('.pwv-parts')?.textContent;
    expect(drawn).not.toMatch(/sorted run|\blevels?\b|stored|merge/i);
    cell('two').focus();
    expect(focusedLabel()).toBe('two, 10 rows, 2.0 KiB');
  });
});

describe('hostile names', () => {
  it('stay text', () => {
    const runs = [
      run(0, file(HOSTILE, { min_key: HOSTILE, max_key: HOSTILE }))
    ];
    shown.update(
      levels(runs, {
        table: HOSTILE,
        keys: [HOSTILE],
        total: 2,
        buckets: [bucket(HOSTILE, HOSTILE, 0), bucket(':1', HOSTILE, 1)],
        bucket: { ...levels(runs).bucket!, id: HOSTILE, partition: HOSTILE }
      })
    );
    shown.root.querySelector<HTMLElement>('[data-file]')!.focus();
    tableRows(shown.root, 'Files');
    expect(shown.root.querySelector('img')).toBeNull();
    expect(text()).toContain(HOSTILE);
    shown.root.querySelector<HTMLElement>('[data-file]')!.click();
    shown.root.querySelector<HTMLElement>('[data-bucket]')!.click();
    expect(shown.events).toEqual([
      { kind: 'select-file', name: HOSTILE },
      { kind: 'select-bucket', id: HOSTILE }
    ]);
  });
});

describe('a thousand files', () => {
  it('are few elements each', () => {
    const runs = Array.from({ length: 500 }, (_, index) =>
      run(
        0,
        file(`l0-${index}`, { start: index / 500, end: (index + 1) / 500 })
      )
    );
    const files = Array.from({ length: 500 }, (_, index) =>
      file(`l5-${index}`, { start: index / 500, end: (index + 0.9) / 500 })
    );
    shown.update(levels([...runs, run(5, ...files)]));
    expect(cells()).toHaveLength(1000);
    expect(shown.root.querySelectorAll('*').length).toBeLessThan(3500);
    expect(text()).toContain('1,000 files');
  });
});
