import type { ErrorValue } from '../contract';

/** A value read from the server. While it is reloaded, the previous value is kept, and sometimes also if that fails. */
export interface Loaded<T> {
  readonly status: 'idle' | 'loading' | 'ready' | 'failed';
  readonly value: T | null;
  readonly error: ErrorValue | null;
}

export function idle<T>(): Loaded<T> {
  return { status: 'idle', value: null, error: null };
}

export function loading<T>(former: Loaded<T>): Loaded<T> {
  return { status: 'loading', value: former.value, error: null };
}

export function ready<T>(value: T): Loaded<T> {
  return { status: 'ready', value, error: null };
}

export function failed<T>(error: ErrorValue, kept: T | null = null): Loaded<T> {
  return { status: 'failed', value: kept, error };
}

/** Return whether there is nothing to show but an error. */
export function isLost({ status, value }: Loaded<unknown>): boolean {
  return status === 'failed' && value === null;
}
