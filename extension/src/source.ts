import { Token } from '@lumino/coreutils';
import type {
  CatalogValue,
  DatabaseValue,
  EnvironmentValue,
  ErrorValue,
  Int64,
  LevelsValue,
  Page,
  SchemaHistoryValue,
  SummaryValue,
  TableEntryValue,
  TimelineValue
} from './contract';
import type { TableName } from './state/names';
import type { Version } from './state/version';

/** Where catalogs and tables are read. All methods reject with `LakeError`, or with `AbortError` when cancelled. */
export interface ILakeSource {
  environment(): Promise<EnvironmentValue>;
  catalogs(): Promise<CatalogValue[]>;
  addCatalog(catalog: NewCatalog): Promise<CatalogValue>;
  removeCatalog(name: string): Promise<void>;
  databases(catalog: string, asked: Listing): Promise<Page<DatabaseValue>>;
  tables(
    catalog: string,
    database: string,
    asked: Listing
  ): Promise<Page<TableEntryValue>>;
  summary(asked: VersionAsked): Promise<SummaryValue>;
  schema(asked: VersionAsked): Promise<SchemaHistoryValue>;
  timeline(asked: TableAsked & Listing): Promise<TimelineValue>;
  levels(asked: VersionAsked & Listing & BucketAsked): Promise<LevelsValue>;
  /** Hear of a table's new snapshots until the returned function is called. */
  watch(name: TableName, listen: (news: News) => void): () => void;
}

export const ILakeSource = new Token<ILakeSource>(
  'paimon-workbench:ILakeSource',
  'Where Paimon catalogs and tables are read.'
);

export interface NewCatalog {
  readonly name: string;
  readonly warehouse: string;
  readonly remember: boolean;
}

interface Cancellable {
  readonly signal?: AbortSignal;
}

export interface Listing extends Cancellable {
  readonly search?: string;
  readonly cursor?: string | null;
  readonly limit?: number;
}

export interface TableAsked extends Cancellable {
  readonly name: TableName;
}

export interface VersionAsked extends TableAsked {
  readonly version: Version;
}

export interface BucketAsked {
  readonly bucket?: string | null;
}

export type News =
  | { readonly kind: 'snapshot'; readonly snapshot: Int64 | null }
  | { readonly kind: 'error'; readonly error: ErrorValue };

/** What the source says instead of an answer. */
export class LakeError extends Error {
  constructor(readonly value: ErrorValue) {
    super(value.message);
  }
}

export function wasCancelled(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Any failure as the value that views show. */
export function errorValue(error: unknown): ErrorValue {
  if (error instanceof LakeError) {
    return error.value;
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'unknown', message, hint: null };
}
