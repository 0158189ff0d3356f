import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SavedModel } from '../../src/saved/model';
import { parseSaved, type SavedView } from '../../src/saved/saved';
import { drawModel } from '../../src/viewDefinitions/draw';
import { PICTURES } from '../../src/viewDefinitions/pictures';
import { viewDefinitions } from '../../src/viewDefinitions/registry';
import { Texts } from '../../src/views/texts';
import { bucket, file, levels, run, snapshot, timeline } from './values';

PICTURES.forEach(view => viewDefinitions.register(view));

const runs = (name: string) => [run(0, file(name))];
const LEVELS = levels(runs('zero'), {
  buckets: [bucket(':0', '', 0), bucket(':1', '', 1), bucket(':2', '', 2)],
  total: 3
});
const OTHER = {
  id: ':1',
  partition: '',
  bucket: 1,
  to_scale: true,
  merged_runs: 1,
  runs: runs('one')
};

function output(facts: object = {}) {
  return {
    version: 1,
    kind: 'levels',
    value: LEVELS,
    others: [OTHER],
    reduced: false,
    zone: 'UTC',
    selected: null,
    model: 'widget-1',
    ...facts
  };
}

function draw(facts: object = {}) {
  document.body.innerHTML = '';
  const element = document.createElement('div');
  document.body.append(element);
  const saved = parseSaved(output(facts)) as SavedView;
  const { picture } = viewDefinitions.get(saved.kind)!;
  const model = new SavedModel(saved, picture!, new Texts());
  const end = drawModel(model, element);
  const files = () =>
    [...element.querySelectorAll<HTMLElement>('[data-file]')].map(
      item => item.dataset.file
    );
  const choose = (id: string) =>
    element.querySelector<HTMLElement>(`[data-bucket="${id}"]`)!.click();
  const notice = () =>
    element.querySelector('.pwv-notice')?.textContent?.trim() ?? '';
  return { element, model, end, files, choose, notice };
}

const STILL = 'This picture is of snapshot 12. Run the cell to make it live.';

describe('an output', () => {
  it('is refused if it is of another version or not a view', () => {
    for (const broken of [
      null,
      'text',
      {},
      output({ version: 2 }),
      output({ kind: 7 }),
      output({ value: null })
    ]) {
      expect(parseSaved(broken)).toBeNull();
    }
  });

  it('is read without trust in its members', () => {
    const saved = parseSaved(
      output({ others: 'x', zone: 1, selected: {}, model: [], reduced: 'yes' })
    );
    expect(saved).toMatchObject({
      others: [],
      zone: '',
      selected: null,
      model: null,
      reduced: false
    });
  });
});

describe('a picture without a kernel', () => {
  it('says so, and shows other buckets as far as they are saved', () => {
    const { files, choose, notice } = draw();
    expect(notice()).toBe(STILL);
    choose(':1');
    expect(files()).toEqual(['one']);
    choose(':0');
    expect(files()).toEqual(['zero']);
    choose(':2');
    expect(files()).toEqual(['zero']);
    expect(notice()).toContain('Run the cell to see it.');
    choose(':1');
    expect(notice()).toBe(STILL);
  });

  it('shows the details of files and snapshots', () => {
    const { element } = draw();
    const bar = element.querySelector<HTMLElement>('[data-file]')!;
    bar.click();
    expect(bar.getAttribute('aria-selected')).toBe('true');
    const value = timeline([snapshot('1'), snapshot('2')]);
    const shown = draw({ kind: 'timeline', value });
    expect(shown.notice()).toContain('of snapshot 2.');
    shown.element.querySelector<HTMLElement>('[data-snapshot="1"]')!.click();
    expect(
      shown.element
        .querySelector('[aria-selected=true]')!
        .getAttribute('aria-label')
    ).toContain('Snapshot 1,');
  });

  it('says that it was simplified, and keeps the exact totals', () => {
    const buckets = [
      bucket(':0', '', 0, { runs: 40, files: 900, rows: '12345' }),
      bucket(':1', '', 1)
    ];
    const { element, notice } = draw({
      reduced: true,
      value: { ...LEVELS, buckets, total: 2 }
    });
    expect(notice()).toContain('simplified');
    const { textContent } = element.querySelector('.pwv-part-tools')!;
    expect(textContent).toContain(
      '40 sorted runs, 900 files, 12,345 stored rows, 2.0 KiB'
    );
    expect(textContent).not.toContain('merge');
    expect(element.querySelector('.pwv-overlap')).toBeNull();
  });

  it('browses the names of a catalog', () => {
    const databases = [{ name: 'shop', tables: ['orders'] }];
    const value = { catalog: '/lake', databases, open: null };
    const { element, notice } = draw({ kind: 'explore', value });
    expect(notice()).toBe(
      'This picture is not live. Run the cell to make it live.'
    );
    element.querySelector<HTMLElement>('[data-database]')!.click();
    element.querySelector<HTMLElement>('[data-table]')!.click();
    expect(notice()).toContain('Run the cell to see it.');
  });
});

describe('a picture with its kernel', () => {
  let shown: ReturnType<typeof draw>;
  const send = vi.fn();

  beforeEach(() => {
    send.mockClear();
    shown = draw();
    shown.model.opened(send);
  });

  it('follows its widget and sends events to it', () => {
    expect(shown.notice()).toBe('');
    shown.choose(':1');
    expect(send).toHaveBeenCalledWith({ kind: 'select-bucket', id: ':1' });
    expect(shown.files()).toEqual(['zero']);
    const value = levels(runs('new'), { snapshot: '13' });
    shown.model.changed({ value, _esm: 'code' });
    expect(shown.files()).toEqual(['new']);
    expect(shown.model.get('_esm')).toBeUndefined();
    const error = { code: 'x', message: 'It is gone.', hint: null, file: null };
    shown.model.changed({ error });
    expect(shown.element.textContent).toContain('It is gone.');
    expect(shown.files()).toEqual(['new']);
  });

  it('keeps the last value when the kernel restarts', () => {
    shown.model.changed({ value: { ...LEVELS, snapshot: '13' } });
    shown.model.closed(true);
    expect(shown.notice()).toBe(
      'The kernel was restarted. This picture is of snapshot 13. Run the cell to make it live.'
    );
    // The saved buckets are those of snapshot 12.
    shown.choose(':1');
    expect(shown.files()).toEqual(['zero']);
    expect(shown.notice()).toContain('Run the cell to see it.');
    expect(send).not.toHaveBeenCalled();
  });

  it('keeps the saved buckets as long as the snapshot is the same', () => {
    shown.model.changed({ value: { ...LEVELS } });
    shown.model.closed(false);
    expect(shown.notice()).toBe(STILL);
    shown.choose(':1');
    expect(shown.files()).toEqual(['one']);
  });

  it('keeps the saved value if the widget has none', () => {
    shown.model.changed({ value: null });
    expect(shown.files()).toEqual(['zero']);
  });
});
