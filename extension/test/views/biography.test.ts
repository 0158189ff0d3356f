import { beforeEach, describe, expect, it } from 'vitest';
import type {
  BiographyValue,
  BiographyVersion,
  SummaryValue
} from '../../src/contract';
import { keyOfRow } from '../../src/views/row_key';
import { BIOGRAPHY } from '../../src/viewDefinitions/biography';
import {
  biographyView,
  shownOf,
  type BiographyEvent,
  type BiographyShown
} from '../../src/views/biography/picture';
import { tableRows } from './values';

const HOSTILE = '<img src=x onerror="window.hacked = true">';

function version(
  id: number,
  facts: Partial<BiographyVersion> = {}
): BiographyVersion {
  return {
    id,
    file: `data-${id}.parquet`,
    position: '9007199254740993',
    partition: '',
    bucket: 0,
    level: 0,
    kind: '+I',
    sequence: String(id),
    schema_id: '0',
    values: ['1', HOSTILE],
    absent: [],
    source: 'write',
    commit: String(id),
    stays: [
      {
        lane: 0,
        since: String(id),
        until: null,
        since_exact: true,
        until_exact: true
      }
    ],
    inputs: [],
    looked_up: [],
    into: [],
    dropped: null,
    marked: null,
    state: 'read',
    ...facts
  };
}

function commit(id: number, kind = 'APPEND') {
  return {
    id: String(id),
    kind,
    time_millis: '1795280000000',
    user: 'me',
    operation: '',
    statement: 'INSERT INTO t',
    cell: '',
    writer: '',
    reason: '',
    tags: [],
    expired: false,
    text: `Wrote version ${id}.`
  };
}

function biography(facts: Partial<BiographyValue> = {}): BiographyValue {
  const field = { type: 'INT', number: true, key: false, rule: 'newest row' };
  return {
    table: 'd.t',
    snapshot: '3',
    zone: 'UTC',
    engine: 'deduplicate',
    key: [{ name: 'id', text: '1' }],
    state: 'present',
    summary: 'The row exists.',
    commits: [commit(1), commit(2), commit(3, 'COMPACT')],
    lanes: [
      { partition: '', bucket: 0, level: 0 },
      { partition: '', bucket: 0, level: 5 }
    ],
    versions: [
      version(1, { state: 'gone', into: [3] }),
      version(2, { state: 'gone', into: [3], kind: '-D', marked: '3' }),
      version(3, {
        source: 'compaction',
        inputs: [1, 2],
        stays: [
          {
            lane: 1,
            since: '3',
            until: null,
            since_exact: true,
            until_exact: true
          }
        ]
      })
    ],
    order: [3],
    fields: [
      {
        ...field,
        name: 'id',
        key: true,
        value: '1',
        winner: 3,
        uses: [],
        origins: [1, 2],
        why: 'x'
      },
      {
        ...field,
        name: 'b',
        value: HOSTILE,
        winner: 3,
        uses: [],
        origins: [2],
        why: HOSTILE
      }
    ],
    changelog: [],
    first: '1',
    read_from: '1',
    complete: true,
    history: '',
    agrees: true,
    files_considered: 3,
    files_opened: 3,
    unread: [],
    ...facts
  };
}

describe('biography', () => {
  let element: HTMLElement;
  let events: BiographyEvent[];

  beforeEach(() => {
    document.body.replaceChildren();
    element = document.createElement('div');
    document.body.append(element);
    events = [];
  });

  function draw(value = biography()) {
    const view = biographyView(element, { emit: event => events.push(event) });
    view.update(shownOf(value));
    return view;
  }

  const beads = () =>
    Array.from(element.querySelectorAll<HTMLElement>('[data-version]'));
  const bead = (id: number) =>
    element.querySelector<HTMLElement>(`[data-version="${id}"]`)!;
  const press = (target: Element, key: string) =>
    target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));

  it('draws a bead with a letter and a name for each version', () => {
    draw();
    expect(
      beads().map(each => each.querySelector('text')!.textContent)
    ).toEqual(['+I', '-D', '+I']);
    expect(bead(3).querySelector('rect')).not.toBeNull();
    expect(bead(1).querySelector('circle')).not.toBeNull();
    expect(bead(1).getAttribute('aria-label')).toBe(
      'version 1, +I, written, by snapshot 1, level 0: no longer stored: its file was replaced or removed'
    );
    expect(element.querySelectorAll('.pwv-merge')).toHaveLength(2);
    expect(element.querySelectorAll('.pwv-cross')).toHaveLength(1);
  });

  it('has one tab stop for versions, moved by arrow keys', () => {
    draw();
    expect(beads().map(each => each.getAttribute('tabindex'))).toEqual([
      '-1',
      '-1',
      '0'
    ]);
    bead(3).focus();
    press(bead(3), 'ArrowLeft');
    expect(document.activeElement).toBe(bead(2));
    press(bead(2), 'Home');
    expect(document.activeElement).toBe(bead(1));
    press(bead(1), 'Enter');
    expect(events).toEqual([{ kind: 'select-version', id: '1' }]);
    expect(bead(1).getAttribute('aria-pressed')).toBe('true');
    expect(element.querySelector('.pwv-facts')!.textContent).toContain(
      'data-1.parquet'
    );
  });

  it('links the columns to the versions that won them', () => {
    draw();
    const row = element.querySelector<HTMLElement>('[data-field="1"]')!;
    row
      .querySelector('button')!
      .dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
    expect(
      beads()
        .filter(each => each.hasAttribute('data-won'))
        .map(each => each.dataset.version)
    ).toEqual(['2', '3']);
    bead(1).dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
    expect(row.hasAttribute('data-won')).toBe(false);
    expect(
      element.querySelector('[data-field="0"]')!.hasAttribute('data-won')
    ).toBe(true);
    row.querySelector<HTMLElement>('[data-goto="2"]')!.click();
    expect(document.activeElement).toBe(bead(2));
  });

  it('shows hostile names and values as text', () => {
    draw();
    expect(element.querySelector('img')).toBeNull();
    expect(element.querySelector('.pwv-fields')!.textContent).toContain(
      HOSTILE
    );
  });

  it('asks for another row by its key', () => {
    draw();
    element.querySelector<HTMLInputElement>('[name="id"]')!.value = '7';
    element
      .querySelector('form')!
      .dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
    expect(events).toEqual([{ kind: 'show-row', key: { id: '7' } }]);
  });

  it('reads on until it is complete, and says how far it is', () => {
    const view = draw(biography({ complete: false, read_from: '2' }));
    expect(events).toEqual([{ kind: 'read-on' }]);
    expect(element.textContent).toContain('back to snapshot 2 so far');
    view.update(shownOf(biography()));
    expect(events).toHaveLength(1);
  });

  it('states deleted rows, expired history and unread files', () => {
    draw(
      biography({
        state: 'deleted',
        summary: 'The row does not exist.',
        history: 'Snapshots before 12 have expired.',
        agrees: false,
        unread: [{ file: 'data-x.parquet', why: 'missing' }]
      })
    );
    const text = element.textContent!;
    expect(text).toContain('The row does not exist.');
    expect(text).toContain('Snapshots before 12 have expired.');
    expect(text).toContain('1 older file cannot be read: data-x.parquet');
    expect(element.querySelector('[role="alert"]')).not.toBeNull();
    expect(element.querySelector('.pwv-fields')).toBeNull();
  });

  it('shows a row that was never found', () => {
    draw(
      biography({
        state: 'absent',
        versions: [],
        commits: [],
        lanes: [],
        fields: []
      })
    );
    expect(beads()).toHaveLength(0);
    expect(element.querySelector('.pwv-empty')).not.toBeNull();
  });

  it('shows everything as tables', () => {
    draw();
    const details = element.querySelector('details')!;
    details.open = true;
    details.dispatchEvent(new Event('toggle'));
    const rows = tableRows(element, 'Versions');
    expect(rows).toHaveLength(3);
    expect(rows[0].slice(0, 2)).toEqual(['1', '+I']);
  });

  it('gives the code of a row', () => {
    const state = { arguments: { row: '{"id":"it\'s 5"}' } } as never;
    expect(BIOGRAPHY.tab!.python!('t', state)).toBe(
      'wb.biography(t, {"id":"it\'s 5"})'
    );
    expect(BIOGRAPHY.tab!.cell!('d.t', state)).toBe(
      `%paimon biography d.t 'id=it'"'"'s 5'`
    );
  });

  it('takes the key of a row of the grid, unless it is cut', () => {
    const columns = [
      {
        name: 'id',
        type: 'STRING',
        number: false,
        role: 'primary key, partition'
      },
      { name: 'v', type: 'INT', number: true, role: '' }
    ];
    expect(keyOfRow(columns, ['a', '1'])).toEqual({ id: 'a' });
    expect(keyOfRow(columns, ['b'.repeat(201), '2'])).toBeNull();
    expect(keyOfRow(columns.slice(1), ['1'])).toBeNull();
  });

  describe('in the page of a table', () => {
    const table = {
      table: 'd.t',
      primary_key: ['region', HOSTILE],
      fields: [
        { name: 'region', type: 'STRING NOT NULL' },
        { name: HOSTILE, type: 'BIGINT NOT NULL' }
      ],
      options: []
    } as unknown as SummaryValue;
    const error = {
      code: 'invalid_request',
      message: "'x' is not a valid BIGINT.",
      hint: null,
      file: null
    };
    const nothing = { ...shownOf(biography()), value: null, table };
    const open = (shown: BiographyShown) => {
      const view = biographyView(element, {
        emit: event => events.push(event)
      });
      view.update(shown);
      return view;
    };
    const inputs = () => Array.from(element.querySelectorAll('input'));
    const submit = () =>
      element
        .querySelector('form')!
        .dispatchEvent(
          new Event('submit', { bubbles: true, cancelable: true })
        );

    it('asks for the key as long as there is no row', () => {
      open(nothing);
      expect(element.textContent).toContain('Enter the primary key of a row');
      expect(inputs().map(({ name }) => name)).toEqual(['region', HOSTILE]);
      expect(inputs().map(({ placeholder }) => placeholder)).toEqual([
        'STRING NOT NULL',
        'BIGINT NOT NULL'
      ]);
      expect(element.querySelector('img')).toBeNull();
      expect(element.querySelector('.pwv-part-table')).toHaveProperty(
        'hidden',
        true
      );
      inputs().forEach((input, at) => (input.value = String(at)));
      submit();
      expect(events).toEqual([
        { kind: 'show-row', key: { region: '0', [HOSTILE]: '1' } }
      ]);
    });

    it('keeps the key beside the error of the server', () => {
      const row = JSON.stringify({ region: 'eu', [HOSTILE]: 'x' });
      open({ ...nothing, row, error });
      expect(element.querySelector('[role=alert]')!.textContent).toContain(
        "'x' is not a valid BIGINT."
      );
      expect(inputs().map(({ value }) => value)).toEqual(['eu', 'x']);
    });

    it('shows a row after it was asked for, and the form again without one', () => {
      const view = open({ ...nothing, isReading: true });
      expect(element.querySelector('[role=status]')).not.toBeNull();
      view.update({ ...nothing, value: biography() });
      expect(beads()).toHaveLength(3);
      expect(inputs()).toHaveLength(2);
      view.update(nothing);
      expect(beads()).toHaveLength(0);
      expect(element.querySelector('.pwv-fields')).toBeNull();
    });

    it('survives a key that is not JSON', () => {
      open({ ...nothing, row: 'nonsense', error });
      expect(inputs().map(({ value }) => value)).toEqual(['', '']);
    });

    it('asks for a condition where rows are tracked, and for nothing where they are not', () => {
      const plain = { ...table, primary_key: [] };
      const options = [{ key: 'row-tracking.enabled', value: 'true' }];
      const view = open({ ...nothing, table: { ...plain, options } });
      inputs()[0].value = 'id = 50';
      submit();
      expect(events).toEqual([{ kind: 'find-row', where: 'id = 50' }]);
      view.update({ ...nothing, table: plain });
      expect(inputs()).toHaveLength(0);
      expect(element.textContent).toContain('have no identity');
    });
  });
});
