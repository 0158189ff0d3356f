import { Token } from '@lumino/coreutils';
import type {
  AddCatalogRequest,
  DatabasesRequest,
  ErrorValue,
  Int64,
  Requests,
  Responses
} from './contract';
import type { TableName } from './state/names';

/** An endpoint of the server. */
export type Endpoint = keyof Requests;

/** Reads the response of an endpoint. Rejects with `LakeError`, or with `AbortError` when canceled. */
export type Read = <E extends Endpoint>(
  endpoint: E,
  request: Requests[E],
  signal?: AbortSignal
) => Promise<Responses[E]>;

/** The source from which catalogs and tables are read. */
export interface ILakeSource {
  readonly read: Read;
  /** Report new snapshots of a table until the returned function is called. */
  watch(name: TableName, listen: (news: News) => void): () => void;
}

export const ILakeSource = new Token<ILakeSource>(
  'paimon-workbench:ILakeSource',
  'Reads Paimon catalogs and tables.'
);

export type NewCatalog = Readonly<Required<AddCatalogRequest>>;

/** The parameters that select a page of a list. */
export type Listing = Readonly<
  Pick<DatabasesRequest, 'search' | 'cursor' | 'limit'>
>;

export type News =
  | { readonly kind: 'snapshot'; readonly snapshot: Int64 | null }
  | { readonly kind: 'error'; readonly error: ErrorValue };

/** The error that the source reports in place of a response. */
export class LakeError extends Error {
  constructor(readonly value: ErrorValue) {
    super(value.message);
  }
}

export function wasCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Return an error of any type as the value that views show. */
export function errorValue(error: unknown): ErrorValue {
  if (error instanceof LakeError) {
    return error.value;
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'unknown', message, hint: null, file: null };
}

/** The codes of errors that say nothing about the requested table: somebody on the way to it does not answer. */
const TEMPORARY = ['storage_error', 'timeout', 'worker_died', 'no_answer'];

/** Return whether a later request may succeed although nothing has changed. */
export function isTemporary({ code }: ErrorValue): boolean {
  return TEMPORARY.includes(code);
}
