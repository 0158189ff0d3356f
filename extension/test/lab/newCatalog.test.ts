import { describe, expect, it } from 'vitest';
import { nameFor, optionsOf } from '../../src/state/newCatalog';

describe('a new catalog', () => {
  it('is named after its directory', () => {
    expect(nameFor('/data/my warehouse/')).toBe('my-warehouse');
    expect(nameFor('')).toBe('');
  });

  it('has the options of each line', () => {
    const text = 's3.endpoint = http://x:9000?a=b\n\n  s3.access-key=key \n';
    expect(optionsOf(text)).toEqual({
      options: { 's3.endpoint': 'http://x:9000?a=b', 's3.access-key': 'key' },
      invalidLine: null
    });
  });

  it('reports which line is not an option', () => {
    expect(optionsOf('a = 1\nsome words\n= 2').invalidLine).toBe('some words');
    expect(optionsOf('= 2').invalidLine).toBe('= 2');
    expect(optionsOf('empty =').options).toEqual({ empty: '' });
  });
});
