import { describe, expect, it } from 'vitest';
import { html } from '../../src/views/markup';
import { sum, Texts } from '../../src/views/texts';

const texts = new Texts({}, 'UTC');

describe('numbers', () => {
  it('adds 64-bit integers without losing digits', () => {
    expect(sum(['9223372036854775806', '1']).toString()).toBe(
      '9223372036854775807'
    );
    expect(texts.count('9007199254740993')).toBe('9,007,199,254,740,993');
  });

  it.each([
    ['812', '812 B'],
    ['1024', '1.0 KiB'],
    ['1280', '1.2 KiB'],
    ['1434', '1.4 KiB'],
    ['102400', '100 KiB'],
    ['1048524', '1,024 KiB'],
    ['35651584', '34.0 MiB'],
    ['9007199254740993000', '8,000 PiB']
  ])('writes %s bytes as Python does: %s', (bytes, text) => {
    expect(texts.size(bytes)).toBe(text);
  });

  it('shows the sign of a change', () => {
    expect(['12', '-1234', '0'].map(value => texts.change(value))).toEqual([
      '+12',
      '−1,234',
      '0'
    ]);
  });

  it('has a noun in the singular for one, also if one was removed', () => {
    const change = (n: number) =>
      texts.format('storedRowsChange', { n, change: texts.change(String(n)) });
    expect([1, -1, 0, -2].map(change)).toEqual([
      '+1 stored row.',
      '−1 stored row.',
      '0 stored rows.',
      '−2 stored rows.'
    ]);
    const read = (n: number) => texts.format('healthReading', { read: 0, n });
    expect([1, 2].map(read)).toEqual([
      '0 of 1 table read…',
      '0 of 2 tables read…'
    ]);
  });

  it('does not round a small share away', () => {
    expect(texts.duration(42)).toBe('42 ms');
    expect(texts.duration(1350)).toMatch(/^1\.[34] s$/);
    expect(texts.percent('1', '1000000')).toBe('0.1%');
    expect(texts.percent('0', '0')).toBe('0%');
    expect(texts.percent('1', '4')).toBe('25%');
  });
});

describe('times', () => {
  it('are told in the zone', () => {
    const berlin = new Texts({}, 'Europe/Berlin');
    expect(texts.zoned('1795280000000')).toBe('2026-11-21 16:53:20 UTC');
    expect(berlin.zoned('1795280000000')).toBe(
      '2026-11-21 17:53:20 Europe/Berlin'
    );
  });

  it('name the zone used where the given one is unknown', () => {
    expect(new Texts({}, 'Moon/Crater').zoned('0')).toBe(
      '1970-01-01 00:00:00 UTC'
    );
  });
});

describe('words', () => {
  it('follow the number', () => {
    expect(texts.format('runs', { n: 1 })).toBe('1 sorted run');
    expect(texts.format('runs', { n: 1200 })).toBe('1,200 sorted runs');
  });

  it('can be replaced, in the locale of the page', () => {
    const german = new Texts({ rows: '{n} Zeile|{n} Zeilen' }, 'UTC', 'de_DE');
    expect(german.format('rows', { n: 1200 })).toBe('1.200 Zeilen');
    expect(german.format('files', { n: 2 })).toBe('2 files');
  });

  it('fall back to English numbers for a language that is none', () => {
    expect(new Texts({}, 'UTC', '!').count(1200)).toBe('1,200');
  });
});

describe('markup', () => {
  it('escapes what goes in, save for other markup', () => {
    const hostile = `<img src=x onerror="a('b')">&`;
    expect(
      html`<p title="${hostile}">${html`<b>${hostile}</b>`}</p>`.text
    ).toBe(
      '<p title="&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;">' +
        '<b>&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;</b></p>'
    );
  });

  it('leaves nothing for what is not there', () => {
    expect(html`a${null}${false}${undefined}${0}`.text).toBe('a0');
  });
});
