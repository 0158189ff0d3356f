import type { Int64 } from '../contract';

export type ByteUnits = 'binary' | 'decimal';

const UNITS = {
  binary: { base: 1024, names: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] },
  decimal: { base: 1000, names: ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] }
};

/** `1,234,567`, in the groups of the reader's language. */
export function countText(count: Int64 | number): string {
  return BigInt(count).toLocaleString();
}

/** Bytes in the unit that fits: `812 B`, `1.4 MiB`. */
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

/** `2026-11-21 14:03:07`, in a time zone that the reader is told beside it. */
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
  // Swedish writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', options).format(Number(millis));
}
