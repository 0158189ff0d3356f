import type { Int64 } from '../contract';

export type ByteUnits = 'binary' | 'decimal';

const UNITS = {
  binary: { base: 1024, names: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] },
  decimal: { base: 1000, names: ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] }
};

/** Return a count with the digit grouping of the user's language: `1,234,567`. */
export function countText(count: Int64 | number): string {
  return BigInt(count).toLocaleString();
}

/** Return whether a noun after this count, or after this change, is in the singular: `1 row`, `−1 row`. */
export function isOne(count: Int64): boolean {
  const value = BigInt(count);
  return value === 1n || value === -1n;
}

/** Return a share as a percentage: `0%`, `0.4%`, `12%`. */
export function percentText(share: number): string {
  const percent = share * 100;
  const digits = percent > 0 && percent < 10 ? 1 : 0;
  const shown = percent > 0 ? Math.max(percent, 0.1) : 0;
  return `${shown.toLocaleString(undefined, { maximumFractionDigits: digits })}%`;
}

/** Return a number of bytes in a suitable unit: `812 B`, `1.4 MiB`. */
export function sizeText(size: Int64, units: ByteUnits = 'binary'): string {
  const { base, names } = UNITS[units];
  let value = Number(size);
  let unit = 0;
  while (value >= base && unit < names.length - 1) {
    value /= base;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  const text = value.toLocaleString(undefined, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits
  });
  return `${text} ${names[unit]}`;
}

/** Return a time as `2026-11-21 14:03:07`, in a time zone that the page shows beside it. */
export function timeText(millis: Int64, zone: string): string {
  const options: Intl.DateTimeFormatOptions = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZone: zone
  };
  // Swedish dates have the ISO 8601 format.
  return new Intl.DateTimeFormat('sv-SE', options).format(Number(millis));
}
