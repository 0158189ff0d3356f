import type { TranslationBundle } from '@jupyterlab/translation';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CatalogKindsValue } from '../../src/contract';
import { LakeError } from '../../src/source';

// The classes of JupyterLab need a browser; these have what the form uses.
vi.mock('@lumino/widgets', () => ({
  Widget: class {
    readonly node = document.createElement('div');
    addClass(name: string): void {
      this.node.classList.add(name);
    }
    dispose(): void {}
  }
}));
vi.mock('@jupyterlab/apputils', () => {
  class Dialog {
    static cancelButton = () => ({});
    static okButton = () => ({});
    readonly node = document.createElement('div');
    readonly launch = () =>
      new Promise<void>(resolve => {
        this._close = resolve;
      });
    constructor({ body }: { body: { node: HTMLElement } }) {
      const accept = document.createElement('button');
      accept.className = 'jp-mod-accept';
      this.node.append(body.node, accept);
      document.body.replaceChildren(this.node);
      accept.addEventListener('click', () => this.resolve(1));
    }
    resolve(_index: number): void {
      this._close();
      this.dispose();
    }
    dispose(): void {}
    private _close: () => void = () => undefined;
  }
  return { Dialog };
});

const { askForCatalog } = await import('../../src/panel/addCatalog');

const trans = {
  __: (text: string, ...values: unknown[]) =>
    text.replace(/%(\d)/g, (_, at) => String(values[Number(at) - 1])),
  _n: (one: string, many: string, count: number, ...values: unknown[]) =>
    (count === 1 ? one : many).replace(/%(\d)/g, (_, at) =>
      String([count, ...values][Number(at) - 1])
    )
} as unknown as TranslationBundle;

const plain = {
  example: '',
  required: false,
  secret: false,
  choices: [],
  only_with: null
};
const kinds: CatalogKindsValue = {
  file: '/home/me/paimon_catalogs.toml',
  items: [
    {
      metastore: 'filesystem',
      title: 'Directory',
      options: [
        { ...plain, name: 'warehouse', meaning: 'The place', required: true }
      ]
    },
    {
      metastore: 'toy',
      title: 'Toy service',
      options: [
        { ...plain, name: 'uri', meaning: 'The address', required: true },
        { ...plain, name: 'warehouse', meaning: 'The place' },
        { ...plain, name: 'word', meaning: 'The password', secret: true },
        { ...plain, name: 'mode', meaning: 'The mode', choices: ['a', 'b'] },
        {
          ...plain,
          name: 'depth',
          meaning: 'The depth',
          only_with: { key: 'mode', value: 'b' }
        }
      ]
    }
  ]
};

const added = { name: 'x' };
const tree = { addCatalog: vi.fn(), testConnection: vi.fn() };

function open(options: Record<string, string> = {}) {
  const known = { options };
  return askForCatalog({ trans, kinds, known, tree } as never);
}

function field(label: string): HTMLInputElement {
  const labels = [...document.querySelectorAll('label')];
  const found = labels.find(each => each.textContent?.startsWith(label));
  return found?.querySelector('input, select, textarea') as HTMLInputElement;
}

function fill(label: string, value: string | boolean): void {
  const input = field(label);
  if (typeof value === 'boolean') {
    input.checked = value;
  } else {
    input.value = value;
  }
  for (const type of ['input', 'change']) {
    input.dispatchEvent(new Event(type, { bubbles: true }));
  }
}

const press = (selector: string) =>
  document.querySelector<HTMLElement>(selector)?.click();
const test = () => press('.pw-form-test button');
const add = () => press('.jp-mod-accept');
const text = (selector: string) =>
  document.querySelector(selector)?.textContent;
const settled = () => new Promise(resolve => setTimeout(resolve));

beforeEach(() => {
  tree.addCatalog.mockReset().mockResolvedValue(added);
  tree.testConnection.mockReset().mockResolvedValue({
    address: 'toy://x',
    databases: 3
  });
});

describe('the form of a catalog', () => {
  it('has the fields of the chosen kind and keeps what they share', async () => {
    void open();
    fill('The place', '/data/my lake');
    expect(field('Name').placeholder).toBe('my-lake');
    expect(field('The address')).toBeUndefined();
    fill('Kind of catalog', 'toy');
    expect(field('The place').value).toBe('/data/my lake');
    fill('The address', 'toy://x');
    fill('The mode', 'b');
    add();
    expect(tree.addCatalog.mock.calls[0][0]).toEqual({
      name: 'my-lake',
      options: {
        metastore: 'toy',
        uri: 'toy://x',
        warehouse: '/data/my lake',
        mode: 'b'
      },
      remember: false
    });
  });

  it('shows a field only where it has a meaning', async () => {
    void open({ metastore: 'toy', uri: 'toy://x' });
    const depth = () => field('The depth').closest('label');
    expect(depth()?.hidden).toBe(true);
    fill('The mode', 'b');
    expect(depth()?.hidden).toBe(false);
    fill('The depth', '7');
    test();
    await settled();
    fill('The mode', 'a');
    test();
    await settled();
    const tested = tree.testConnection.mock.calls.map(([options]) => options);
    expect(tested[0]).toMatchObject({ mode: 'b', depth: '7' });
    expect(tested[1]).not.toHaveProperty('depth');
    fill('The mode', 'b');
    expect(field('The depth').value).toBe('7');
  });

  it('takes a secret as it is, or from a variable of the environment', () => {
    void open({ metastore: 'toy', uri: 'toy://x' });
    expect(field('The password').type).toBe('password');
    expect(text('.pw-form-note')).toBe('');
    fill('The password', ' typed ');
    expect(text('.pw-form-note')).toContain('until the Jupyter server stops');
    fill('Save to my catalog file', true);
    expect(text('.pw-form-note')).toContain('/home/me/paimon_catalogs.toml');
    add();
    expect(tree.addCatalog.mock.calls[0][0].options.word).toBe(' typed ');
    void open({ metastore: 'toy', uri: 'toy://x' });
    fill('This is the name of an environment variable', true);
    fill('The password', 'WORD');
    fill('Save to my catalog file', true);
    expect(field('The password').type).toBe('text');
    expect(text('.pw-form-note')).toBe('');
    add();
    expect(tree.addCatalog.mock.calls[1][0].options.word).toBe('${env:WORD}');
  });

  it('shows options that have no field among the others', () => {
    void open({ warehouse: 's3://b/w', 's3.endpoint': 'http://x' });
    expect(field('Options, one per line').value).toBe('s3.endpoint = http://x');
    fill('Options, one per line', 's3.secret-key = typed');
    expect(text('.pw-form-note')).toContain('until the Jupyter server stops');
  });

  it('says what is missing or not an option', () => {
    void open({ metastore: 'toy' });
    add();
    expect(text('.pw-form-error')).toBe('Fill in: The address.');
    expect(document.activeElement).toBe(field('The address'));
    fill('The address', 'toy://x');
    fill('Options, one per line', 'some words');
    test();
    expect(text('.pw-form-error')).toContain('“some words” is not a valid');
    expect(tree.addCatalog).not.toHaveBeenCalled();
    expect(tree.testConnection).not.toHaveBeenCalled();
  });
});

describe('a test of the connection', () => {
  it('shows that it works, and stays open', async () => {
    const asked = vi.fn();
    void open({ warehouse: '/data' }).then(asked);
    test();
    expect(text('.pw-form-status')).toBe('Connecting to /data…');
    expect(text('.pw-form-test button')).toBe('Stop');
    await settled();
    expect(text('.pw-form-status')).toBe(
      '✓ Connected to toy://x: 3 databases.'
    );
    expect(text('.pw-form-test button')).toBe('Test connection');
    expect(asked).not.toHaveBeenCalled();
    add();
    await settled();
    expect(asked).toHaveBeenCalledWith(added);
  });

  it('shows the error and what to do about it', async () => {
    const error = { code: 'x', message: 'No answer.', hint: 'Start it.' };
    const failure = new LakeError({ ...error, file: null });
    tree.testConnection.mockRejectedValue(failure);
    void open({ warehouse: '/data' });
    test();
    await settled();
    expect(text('.pw-form-error')).toBe('No answer.\nStart it.');
    expect(text('.pw-form-status')).toBe('');
  });

  it('is stopped by its button, and by adding the catalog', async () => {
    const signals: AbortSignal[] = [];
    tree.testConnection.mockImplementation(
      (_options: unknown, signal: AbortSignal) =>
        new Promise((_resolve, reject) => {
          signals.push(signal);
          signal.addEventListener('abort', () =>
            reject(new DOMException('', 'AbortError'))
          );
        })
    );
    void open({ warehouse: '/data' });
    test();
    test();
    await settled();
    expect(signals[0].aborted).toBe(true);
    expect(text('.pw-form-error')).toBe('');
    expect(text('.pw-form-test button')).toBe('Test connection');
    test();
    add();
    expect(signals[1].aborted).toBe(true);
    expect(text('.pw-form-status')).toBe('Opening /data…');
    await settled();
    expect(tree.addCatalog).toHaveBeenCalledOnce();
  });
});
