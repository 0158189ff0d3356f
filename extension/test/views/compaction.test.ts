import { beforeEach, describe, expect, it, vi } from 'vitest';
import type {
  CompactionStory,
  CompactionsValue,
  CompactionValue,
  CostsAnswer
} from '../../src/contract';
import type { CompactionShown } from '../../src/views/compaction/model';
import { compactionView } from '../../src/views/compaction/view';
import type { TableRead } from '../../src/views/stage';
import { file, press, run, stage } from './values';

const HOSTILE = '<img src=x onerror="window.hacked = true">';

function compaction(
  snapshot: string,
  facts: Partial<CompactionValue> = {}
): CompactionValue {
  return {
    id: `${snapshot}@:0`,
    snapshot,
    time_millis: '1795280000000',
    bucket_id: ':0',
    partition: '',
    bucket: 0,
    rule: 'size-ratio',
    origin: 'recorded',
    text: 'The 2 newest runs are of similar size.',
    rounds: 1,
    numbers: [{ name: 'candidate_bytes', text: '6.6 KiB' }],
    alternatives: [],
    input_levels: [0, 5],
    output_level: 5,
    files_read: 2,
    files_written: 1,
    files_moved: 0,
    bytes_read: '4096',
    bytes_written: '2048',
    bytes_moved: '0',
    rows_read: '20',
    rows_written: '15',
    rows_moved: '0',
    rows_dropped: '5',
    millis: null,
    user: 'writer',
    writer: '',
    ...facts
  };
}

function story(of: CompactionValue): CompactionStory {
  const bucket = {
    id: ':0',
    partition: '',
    bucket: 0,
    to_scale: true,
    merged_runs: 2
  };
  return {
    compaction: of,
    keys: ['id'],
    before: {
      ...bucket,
      runs: [
        run(0, file('new', { start: 0.2, end: 0.5 })),
        run(4, file('big')),
        run(5, file('old'), file('kept'))
      ]
    },
    after: {
      ...bucket,
      runs: [run(5, file('out'), file('big'), file('kept'))]
    },
    read: ['new', 'old'],
    written: ['out'],
    moved: ['big'],
    links: [
      { before: 0, after: 0 },
      { before: 2, after: 0 },
      { before: 1, after: 1 }
    ]
  };
}

function shownOf(
  compactions: CompactionValue[],
  facts: Partial<CompactionsValue> = {}
): CompactionShown {
  const value: CompactionsValue = {
    table: 'shop.orders',
    zone: 'UTC',
    kind: 'primary-key',
    keys: ['id'],
    first: '1',
    last: '12',
    compactions,
    next: null,
    unread: [],
    story: compactions.length > 0 ? story(compactions[0]) : null,
    replay: null,
    costs: null,
    ...facts
  };
  return { value, selected: null };
}

let shown: ReturnType<typeof open>;
const open = () => stage(compactionView);
const text = () => shown.root.textContent?.replace(/\s+/g, ' ') ?? '';
const items = () => [
  ...shown.root.querySelectorAll<HTMLElement>('[data-compaction]')
];
const boxes = (css: string) =>
  [...shown.root.querySelectorAll(`.pwv-was-${css}`)].map(each =>
    each.getAttribute('aria-label')
  );

beforeEach(() => {
  shown = open();
});

describe('the list', () => {
  it('names each compaction for screen readers, with a letter for its rule', () => {
    shown.update(shownOf([compaction('12'), compaction('9', { rule: '' })]));
    expect(items()[0].getAttribute('aria-label')).toBe(
      'Snapshot 12, bucket 0: Size ratio, 2 files of 4.0 KiB became 1 file of 2.0 KiB'
    );
    expect(items()[0].querySelector('i')?.textContent).toBe('R');
    expect(items()[1].querySelector('i')?.textContent).toBe('?');
  });

  it('has one tab stop, moved by arrow keys, and chooses with Enter', () => {
    shown.update(shownOf([compaction('12'), compaction('9')]));
    expect(items().map(each => each.tabIndex)).toEqual([0, -1]);
    items()[0].focus();
    press('ArrowDown');
    expect(document.activeElement).toBe(items()[1]);
    press('Enter');
    expect(shown.events).toContainEqual({
      kind: 'select-compaction',
      id: '9@:0'
    });
  });

  it('says that there are none, and that the table was never written', () => {
    shown.update(shownOf([]));
    expect(text()).toContain('This table has not been compacted yet.');
    shown.update(shownOf([], { last: null, first: null }));
    expect(text()).toContain('No snapshots yet.');
  });

  it('names snapshots that cannot be read', () => {
    shown.update(shownOf([compaction('12')], { unread: ['7'] }));
    expect(text()).toContain('The manifests of 1 snapshot cannot be read: 7.');
  });

  it('shows hostile texts as text', () => {
    const hostile = compaction('12', {
      partition: HOSTILE,
      text: HOSTILE,
      rule: HOSTILE,
      writer: HOSTILE
    });
    shown.update(shownOf([hostile]));
    expect(shown.root.querySelector('img')).toBeNull();
    expect(text()).toContain(HOSTILE);
  });
});

describe('the pages of the list', { timeout: 60_000 }, () => {
  const eventually = (check: () => void) =>
    vi.waitFor(check, { timeout: 20_000 });
  const ids = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => compaction(`${from - index}`));
  const page = (from: number, count: number, next: string | null) =>
    shownOf(ids(from, count), { next }).value;
  const more = () => shown.root.querySelector<HTMLElement>('[data-more]');

  function openPage(read: (endpoint: string, request: object) => unknown) {
    shown = stage((element, host) =>
      compactionView(element, {
        ...host,
        read: ((endpoint: string, request: object) =>
          endpoint === 'compactions'
            ? Promise.resolve(read(endpoint, request))
            : new Promise(() => undefined)) as TableRead
      })
    );
  }

  it('are read by themselves until there are as many as are wanted', async () => {
    const read = vi
      .fn()
      .mockReturnValueOnce(page(850, 100, '750'))
      .mockReturnValueOnce(page(700, 50, '600'))
      .mockReturnValueOnce(page(500, 5, null));
    openPage(read);
    shown.update(shownOf(ids(900, 50), { next: '851' }));
    expect(more()?.textContent).toContain('Reading older snapshots…');
    expect(more()?.getAttribute('aria-disabled')).toBe('true');
    await eventually(() => expect(items()).toHaveLength(200));
    await eventually(() =>
      expect(more()?.textContent).toContain('Show older compactions')
    );
    expect(read.mock.calls.map(([, request]) => request as object)).toEqual([
      { cursor: '851', limit: 150 },
      { cursor: '750', limit: 50 }
    ]);
    more()?.click();
    await eventually(() => expect(items()).toHaveLength(205));
    expect(more()).toBeNull();
    expect(shown.events).toEqual([]);
  });

  it('keep what was read if one of them fails, and can be read again', async () => {
    const read = vi
      .fn()
      .mockRejectedValueOnce(new Error('The server stopped.'))
      .mockReturnValueOnce(page(850, 3, null));
    openPage(read);
    shown.update(shownOf(ids(900, 50), { next: '851' }));
    await eventually(() => expect(text()).toContain('The server stopped.'));
    expect(items()).toHaveLength(50);
    more()?.click();
    await eventually(() => expect(items()).toHaveLength(53));
    expect(text()).not.toContain('The server stopped.');
  });

  it('say where they are while no compaction was found yet', async () => {
    openPage(() => page(3, 1, null));
    shown.update(shownOf([], { next: '90' }));
    expect(text()).toContain('Reading older snapshots…');
    expect(text()).not.toContain('No compaction since');
    await eventually(() => expect(items()).toHaveLength(1));
  });
});

describe('before and after', () => {
  beforeEach(() => shown.update(shownOf([compaction('12')])));

  it('says what happened to each file', () => {
    expect(boxes('read')).toHaveLength(2);
    expect(boxes('written')).toHaveLength(1);
    expect(boxes('moved')).toHaveLength(2);
    expect(boxes('kept')).toHaveLength(2);
    expect(boxes('read')[0]).toContain('read and merged');
    expect(boxes('kept')[0]).toContain('not touched');
  });

  it('draws a ribbon for each link, moved files as such', () => {
    expect(shown.root.querySelectorAll('.pwv-ribbon')).toHaveLength(3);
    expect(shown.root.querySelectorAll('.pwv-ribbon-moved')).toHaveLength(1);
  });

  it('keeps the titles of both sides away from the ribbons', () => {
    // Paths are M x y C … in absolute coordinates.
    const heights = [...shown.root.querySelectorAll('.pwv-ribbon')].flatMap(
      ribbon =>
        (ribbon.getAttribute('d') ?? '')
          .match(/-?[\d.]+/g)!
          .map(Number)
          .filter((_, at) => at % 2 === 1)
    );
    const [top, bottom] = [Math.min(...heights), Math.max(...heights)];
    const titles = [...shown.root.querySelectorAll('.pwv-side')].map(each =>
      Number(each.getAttribute('y'))
    );
    expect(titles).toHaveLength(2);
    // A title is 12 pixels high.
    for (const y of titles) {
      expect(y < top || y - 12 > bottom).toBe(true);
    }
    const height = shown.root
      .querySelector('.pwv-story')
      ?.getAttribute('height');
    expect(Math.max(...titles)).toBeLessThan(Number(height));
  });

  it('shows why it ran, and its numbers', () => {
    expect(text()).toContain('The 2 newest runs are of similar size.');
    expect(text()).toContain('candidate bytes6.6 KiB');
    expect(text()).toContain('recorded by the writer');
    expect(text()).toContain('5 (25%)');
  });

  it('lights up the ribbons of a focused file', () => {
    shown.root.querySelector<SVGElement>('[data-box="before:0"]')?.focus();
    shown.root
      .querySelector('[data-box="before:0"]')
      ?.dispatchEvent(new Event('pointerover', { bubbles: true }));
    expect(shown.root.querySelectorAll('.pwv-lit')).toHaveLength(1);
    expect(text()).toContain('new');
  });

  it('marks what was recomputed, and what nothing explains', () => {
    const other = compaction('12', {
      origin: 'recomputed',
      alternatives: ['full']
    });
    shown.update(shownOf([other]));
    expect(text()).toContain('recomputed from the files');
    expect(text()).toContain('The same files would be picked by: Full.');
    shown.update(shownOf([compaction('12', { origin: 'unexplained' })]));
    expect(text()).toContain('no rule explains it');
  });
});

describe('what is read on demand', () => {
  it('asks the kernel for a replay and for costs, once each', () => {
    shown.update(shownOf([compaction('12')]));
    shown.root.querySelector<HTMLElement>('[data-tab=replay]')?.click();
    shown.root.querySelector<HTMLElement>('[data-tab=costs]')?.click();
    shown.root.querySelector<HTMLElement>('[data-tab=replay]')?.click();
    expect(
      shown.events.filter(each => each.kind !== 'select-compaction')
    ).toEqual([
      { kind: 'replay', bucket: ':0', limit: 200 },
      { kind: 'costs' }
    ]);
  });
});

describe('costs', () => {
  const ids = ['1', '2'];
  const costs: CostsAnswer = {
    costs: {
      table: 'shop.orders',
      zone: 'UTC',
      keyed: true,
      first: '1',
      last: '2',
      complete: true,
      ids,
      times: ids,
      compactions: [0, 1],
      written: ids,
      compacted: ids,
      read: ids,
      write_amplification: [null, 1.5],
      read_amplification: [1, 2],
      space_amplification: [1, 1]
    },
    figure: '{"data": []}'
  };
  const values = () =>
    [...shown.root.querySelectorAll('.pwv-curve b')].map(
      each => each.textContent
    );
  const openCosts = () => {
    shown.update(shownOf([compaction('12')], { costs }));
    shown.root.querySelector<HTMLElement>('[data-tab=costs]')?.click();
  };

  it('are curves where nothing draws figures', () => {
    openCosts();
    expect(shown.root.querySelectorAll('.pwv-curve svg')).toHaveLength(4);
    expect(values()).toEqual(['1.50 ×', '2.00', '1.00 ×', '']);
  });

  it('are a figure with a name, drawn once for each answer and removed with the picture', () => {
    const remove = vi.fn();
    const figure = vi.fn(() => remove);
    shown = stage(compactionView, { figure });
    openCosts();
    openCosts();
    expect(figure).toHaveBeenCalledTimes(1);
    const [element, text] = figure.mock.calls[0] as unknown as [
      Element,
      string
    ];
    expect(text).toBe(costs.figure);
    expect(element.getAttribute('aria-label')).toBe(
      'Costs of compactions by commit'
    );
    expect(shown.root.querySelectorAll('.pwv-curve svg')).toHaveLength(0);
    expect(values()).toEqual(['1.50 ×', '2.00', '1.00 ×', '']);
    const next = { ...costs, figure: '{"data": [1]}' };
    shown.update(shownOf([compaction('12')], { costs: next }));
    expect(figure).toHaveBeenCalledTimes(2);
    shown.dispose();
    expect(remove).toHaveBeenCalledTimes(2);
  });
});
