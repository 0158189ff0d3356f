import { expect, it } from 'vitest';
import {
  parseUnknownNames,
  sqlStart,
  unknownNamesExpression
} from '../../src/state/sqlCell';

it('finds the SQL of a cell', () => {
  expect(sqlStart('%%paimon --limit 5\nSELECT 1')).toBe(19);
  expect(sqlStart('\n%%paimon\nSELECT 1')).toBe(10);
  expect(sqlStart('%%paimon')).toBe(8);
  for (const other of [
    '',
    'x = 1',
    '%paimon tables',
    '# %%paimon',
    '%%paimonx'
  ]) {
    expect(sqlStart(other)).toBeNull();
  }
});

it('quotes SQL for Python', () => {
  const sql = 'SELECT "a" -- \'b\'\n\\';
  expect(unknownNamesExpression(sql)).toContain(JSON.stringify(sql));
});

it('counts characters as the editor does', () => {
  const source = "%%paimon\nSELECT '😀', itm FROM t";
  const json =
    '[{"start": 12, "end": 15, "message": "There is no column \\\'itm\\\'."}]';
  const [name] = parseUnknownNames(`'${json}'`, source);
  expect(source.slice(name.from, name.to)).toBe('itm');
  expect(name.message).toBe("There is no column 'itm'.");
});
