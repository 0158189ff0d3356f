import { describe, expect, it } from 'vitest';
import type { CatalogValue, TimelineValue } from '../../src/contract';
import {
  cellCode,
  prepareCode,
  pythonCode,
  rollbackCode,
  tagCode,
  shellWord,
  sqlName
} from '../../src/copy';
import { difference, parseFacts } from '../../src/state/environment';
import { catalogFor, parseLink } from '../../src/state/snapshotLink';
import { countText, sizeText, timeText } from '../../src/state/texts';
import {
  LATEST,
  nextVersion,
  parseVersion,
  previousVersion
} from '../../src/state/version';
import { versionChoices } from '../../src/state/versions';

const demo: CatalogValue = {
  name: 'demo',
  warehouse: "/data/it's here",
  metastore: 'filesystem',
  origin: 'user',
  read_only: false,
  kind: 'Directory',
  address: "/data/it's here",
  options: [{ key: 'warehouse', value: "/data/it's here" }]
};
const name = { catalog: 'demo', database: 'shop', table: 'orders' };

describe('copied code', () => {
  it('is Python for the version shown', () => {
    expect(pythonCode(demo, name, parseVersion('12'))).toBe(
      'import workbench as wb\n\n' +
        'wb.connect("demo").get_table("shop.orders").at(snapshot=12)'
    );
    expect(tagCode({ ...name, table: "it's" }, '3')).toBe(
      "%%paimon\nCALL sys.create_tag(table => 'shop.`it\\'s`', tag => 'my-tag', snapshot => 3)"
    );
    expect(rollbackCode(demo, name, '3')).toBe(
      'import workbench as wb\n\nwb.connect("demo").get_table("shop.orders").rollback_to(snapshot=3)'
    );
    expect(pythonCode(demo, name, LATEST)).toMatch(
      /get_table\("shop.orders"\)$/
    );
    expect(pythonCode(demo, name, parseVersion('tag:v"1'))).toMatch(
      /\.at\(tag="v\\"1"\)$/
    );
  });

  it('names the warehouse where the kernel cannot know the name', () => {
    const session = { ...demo, origin: 'session' as const };
    expect(pythonCode(session, name, LATEST)).toContain(
      `wb.connect("/data/it's here")`
    );
  });

  it('has the options of a catalog of the session, secrets hidden', () => {
    const session = {
      ...demo,
      origin: 'session' as const,
      options: [
        { key: 'metastore', value: 'jdbc' },
        { key: 'uri', value: 'jdbc:mysql://db/p' },
        { key: 'jdbc.password', value: '${env:DB}' }
      ]
    };
    expect(pythonCode(session, name, LATEST)).toContain(
      'wb.connect({"metastore": "jdbc", "uri": "jdbc:mysql://db/p", "jdbc.password": "${env:DB}"})'
    );
    expect(prepareCode(session, { loaded: true, connected: null })).toBe(
      "%paimon connect metastore=jdbc uri=jdbc:mysql://db/p 'jdbc.password=${env:DB}'"
    );
  });

  it('quotes names in SQL where they need it', () => {
    const odd = { ...name, table: 'my `new` table' };
    expect(cellCode(name, LATEST)).toBe(
      '%%paimon\nSELECT * FROM shop.orders LIMIT 20'
    );
    expect(cellCode(odd, parseVersion('3'))).toBe(
      '%%paimon --snapshot 3\nSELECT * FROM shop.`my ``new`` table` LIMIT 20'
    );
    expect(cellCode(name, parseVersion('tag:a b'))).toContain("--tag 'a b'\n");
    expect(sqlName('1st')).toBe('`1st`');
    expect(shellWord("it's")).toBe(`'it'"'"'s'`);
  });

  it('prepares a kernel only as far as needed', () => {
    const connected = (label: string | null) => ({
      loaded: true,
      connected: label
    });
    expect(prepareCode(demo, { loaded: false, connected: null })).toBe(
      '%load_ext workbench\n%paimon connect demo'
    );
    expect(prepareCode(demo, connected('other'))).toBe('%paimon connect demo');
    expect(prepareCode(demo, connected('demo'))).toBe('');
    expect(prepareCode(demo, connected(demo.warehouse))).toBe('');
  });
});

describe('numbers', () => {
  it('of 64 bits are exact', () => {
    expect(countText('9223372036854775807').replace(/\D/g, '')).toBe(
      '9223372036854775807'
    );
  });

  it('of bytes have a unit that fits', () => {
    expect(sizeText('812')).toBe('812 B');
    expect(sizeText('1536')).toBe('1.5 KiB');
    expect(sizeText('1500', 'decimal')).toBe('1.5 kB');
    expect(sizeText(String(200 * 1024 ** 2))).toBe('200 MiB');
  });

  it('of times are in the zone of the session', () => {
    expect(timeText('0', 'Asia/Tokyo')).toBe('1970-01-01 09:00:00');
  });
});

describe('versions', () => {
  const bounds = (snapshot: string) => ({
    snapshot,
    earliest_snapshot: '5',
    latest_snapshot: '9'
  });

  it('have neighbors within the history', () => {
    expect(previousVersion(bounds('5'))).toBeNull();
    expect(previousVersion(bounds('6'))).toEqual(parseVersion('5'));
    expect(nextVersion(parseVersion('8'), bounds('8'))).toEqual(
      parseVersion('9')
    );
    expect(nextVersion(parseVersion('9'), bounds('9'))).toEqual(LATEST);
    expect(nextVersion(LATEST, bounds('9'))).toBeNull();
  });

  it('of a tag older than the history lead into it', () => {
    const tag = parseVersion('tag:old');
    expect(nextVersion(tag, bounds('2'))).toEqual(parseVersion('5'));
  });

  it('can be chosen by number where they are not listed', () => {
    const timeline = {
      tags: [{ name: 'v1', snapshot: '5', time_millis: null, expired: false }],
      snapshots: [{ id: '9', kind: 'COMPACT', tags: [], time_millis: '0' }]
    } as unknown as TimelineValue;
    const chosen = (search: string) =>
      versionChoices(timeline, search).map(choice => choice.version);
    expect(chosen('')).toHaveLength(3);
    expect(chosen('comp')).toEqual([parseVersion('9')]);
    expect(chosen('V1')).toEqual([parseVersion('tag:v1')]);
    expect(chosen('7')).toEqual([parseVersion('7')]);
    expect(chosen('9')).toEqual([parseVersion('9')]);
  });
});

describe('a link to a snapshot', () => {
  const link = {
    message: 'Inserted.',
    warehouse: '/data/lake/',
    catalog: 'lake',
    database: 'shop',
    table: 'orders',
    snapshot: '12'
  };
  const at = (catalog: string, warehouse: string) => ({
    ...demo,
    name: catalog,
    warehouse
  });

  it('is refused where anything is no text', () => {
    expect(parseLink(link)).toEqual(link);
    expect(parseLink({ ...link, snapshot: '1; drop' })).toBeNull();
    expect(parseLink({ ...link, table: { toString: 1 } })).toBeNull();
    expect(parseLink(null)).toBeNull();
    expect(parseLink('text')).toBeNull();
  });

  it('means the catalog of that directory rather than one of that name', () => {
    const there = at('mine', 'file:///data/lake');
    const named = at('lake', '/elsewhere');
    expect(catalogFor(link, [named, there])).toBe(there);
    expect(catalogFor(link, [named])).toBe(named);
    expect(catalogFor(link, [at('x', '/y')])).toBeNull();
  });
});

describe('environments', () => {
  const server = { version: '2', python: '', prefix: '/p', host: 'here' };

  it('differ by host, version or place', () => {
    expect(difference(server, server)).toBeNull();
    expect(difference({ ...server, host: 'there' }, server)).toBe('host');
    expect(difference({ ...server, version: null }, server)).toBe('version');
    expect(difference({ ...server, prefix: '/q' }, server)).toBe('prefix');
  });

  it('are read from what Python prints', () => {
    const printed = `'{"environment": {"prefix": "C:\\\\\\\\it\\'s"}}'`;
    expect(parseFacts(printed).environment.prefix).toBe("C:\\it's");
  });
});
