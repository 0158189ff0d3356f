import type { Int64, SummaryValue } from '../contract';
import { ENGLISH, type Words } from './words';

export type Count = number | bigint;
export type TableKind = SummaryValue['kind'];

const QUARTER = 15 * 60 * 1000;
const MAX_TIMES = 1000;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Return the exact sum of 64-bit integers. */
export function sum(values: Iterable<Int64>): bigint {
  let total = BigInt(0);
  for (const value of values) {
    total += BigInt(value);
  }
  return total;
}

/** Counts, sizes, times and sentences in the language of the page. */
export class Texts {
  readonly zone: string;
  private readonly words: Words;
  private readonly numbers: Intl.NumberFormat;
  private readonly tenths: Intl.NumberFormat;
  private readonly plurals: Intl.PluralRules;
  private readonly moments: Intl.DateTimeFormat;
  /** Formatted times: formatting is slow, and an axis shows the same times again while it moves. */
  private readonly times = new Map<Int64, string>();

  constructor(
    words: Partial<Words> = {},
    zone?: string,
    locale = 'en',
    private readonly kind: TableKind = 'primary-key'
  ) {
    this.words = { ...ENGLISH, ...words };
    const language = knownLocale(locale);
    this.numbers = new Intl.NumberFormat(language);
    this.tenths = new Intl.NumberFormat(language, {
      minimumFractionDigits: 1,
      maximumFractionDigits: 1
    });
    this.plurals = new Intl.PluralRules(language);
    this.moments = momentFormat(zone);
    this.zone = this.moments.resolvedOptions().timeZone;
  }

  /**
   * Return a text of the dictionary with its placeholders filled in; counts are formatted. A text for the kind of the
   * table takes precedence.
   */
  format(
    word: keyof Words,
    values: Record<string, Count | string> = {}
  ): string {
    const ofKind = this.words[`${word}_${this.kind}` as keyof Words];
    const [one, many] = (ofKind ?? this.words[word]).split('|');
    const form = many === undefined || this.isOne(values.n) ? one : many;
    return form.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name];
      return typeof value === 'string' ? value : this.count(value);
    });
  }

  count(value: Count | Int64): string {
    return this.numbers.format(BigInt(value));
  }

  /** Return a count with its sign: `+12`, `−3`, `0`. */
  change(value: Int64): string {
    const count = BigInt(value);
    const text = this.numbers.format(count < 0 ? -count : count);
    return count > 0 ? `+${text}` : count < 0 ? `−${text}` : text;
  }

  /** Return a number of bytes in a suitable unit, as Python formats it: `812 B`, `1.4 MiB`. */
  size(bytes: Count | Int64): string {
    let value = Number(BigInt(bytes));
    let unit = 0;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit += 1;
    }
    return unit === 0 || value >= 100
      ? `${this.numbers.format(halfEven(value))} ${UNITS[unit]}`
      : `${this.tenths.format(halfEven(value * 10) / 10)} ${UNITS[unit]}`;
  }

  /** Return a share as a percentage; `0%` if the total is 0. */
  percent(part: Int64, whole: Int64): string {
    const share = Number(whole) > 0 ? Number(part) / Number(whole) : 0;
    const percent = share * 100;
    return percent > 0 && percent < 10
      ? `${this.tenths.format(Math.max(percent, 0.1))}%`
      : `${this.numbers.format(Math.round(percent))}%`;
  }

  /** Return a ratio with one decimal: `2.6`. */
  ratio(value: number): string {
    return this.tenths.format(value);
  }

  /** Return a duration: `42 ms`, `1.4 s`. */
  duration(millis: Count | Int64): string {
    const value = Number(millis);
    return value < 1000
      ? `${this.numbers.format(value)} ms`
      : `${this.tenths.format(value / 1000)} s`;
  }

  /** Return milliseconds since the epoch as `2026-11-21 19:00:00` in the time zone. */
  time(millis: Int64): string {
    let text = this.times.get(millis);
    if (text === undefined) {
      if (this.times.size >= MAX_TIMES) {
        this.times.clear();
      }
      text = this.written(millis);
      this.times.set(millis, text);
    }
    return text;
  }

  private written(millis: Int64): string {
    const parts = new Map(
      this.moments
        .formatToParts(new Date(Number(millis)))
        .map(part => [part.type, part.value])
    );
    const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
    return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}:${of('second')}`;
  }

  /** Return how many milliseconds the wall clock is ahead of UTC. */
  offset(millis: number): number {
    // Clock changes occur at full quarters of an hour.
    const quarter = Math.floor(millis / QUARTER) * QUARTER;
    const wall = this.time(String(quarter)).replace(' ', 'T');
    return Date.parse(`${wall}Z`) - quarter;
  }

  /** Return a time with its time zone. */
  zoned(millis: Int64): string {
    return `${this.time(millis)} ${this.zone}`;
  }

  private isOne(value: Count | string): boolean {
    // A change by one is singular as well: `−1 row`.
    return this.plurals.select(Math.abs(Number(value))) === 'one';
  }
}

/** Round half to even, as Python's formatting does. */
function halfEven(value: number): number {
  const rounded = Math.round(value);
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0
    ? rounded - 1
    : rounded;
}

function knownLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale.replace(/_/g, '-'))[0] ?? 'en';
  } catch (error) {
    if (error instanceof RangeError) {
      return 'en';
    }
    throw error;
  }
}

function momentFormat(zone?: string): Intl.DateTimeFormat {
  const options: Intl.DateTimeFormatOptions = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23'
  };
  try {
    return new Intl.DateTimeFormat('en', {
      ...options,
      timeZone: zone || undefined
    });
  } catch (error) {
    // If the browser does not know the time zone, use UTC; the text names the zone that is used.
    if (error instanceof RangeError) {
      return new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' });
    }
    throw error;
  }
}
