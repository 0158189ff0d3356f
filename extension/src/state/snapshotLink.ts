import type { CatalogValue, EnvironmentValue, Int64 } from '../contract';

/** A snapshot that a cell made, as its output names it. */
export interface SnapshotLink {
  readonly message: string;
  readonly warehouse: string;
  readonly catalog: string | null;
  readonly database: string;
  readonly table: string;
  readonly snapshot: Int64;
  readonly environment?: EnvironmentValue;
}

/** The link in an output; null where it is none: anybody can write a notebook. */
export function parseLink(data: unknown): SnapshotLink | null {
  const link = data as Partial<SnapshotLink> | null;
  const texts = [link?.warehouse, link?.database, link?.table, link?.snapshot];
  const isLink =
    texts.every(text => typeof text === 'string') &&
    /^\d+$/.test(link?.snapshot ?? '');
  if (!link || !isLink) {
    return null;
  }
  return {
    ...(link as SnapshotLink),
    message: typeof link.message === 'string' ? link.message : '',
    catalog: typeof link.catalog === 'string' ? link.catalog : null
  };
}

/** The catalog that a link means: of both its name and its warehouse, else of its warehouse, else of its name. */
export function catalogFor(
  link: Pick<SnapshotLink, 'catalog' | 'warehouse'>,
  catalogs: readonly CatalogValue[]
): CatalogValue | null {
  const named = catalogs.filter(({ name }) => name === link.catalog);
  const placed = catalogs.filter(
    ({ warehouse }) => plain(warehouse) === plain(link.warehouse)
  );
  return (
    placed.find(each => named.includes(each)) ?? placed[0] ?? named[0] ?? null
  );
}

function plain(warehouse: string): string {
  return warehouse.replace(/^file:(\/\/)?/, '').replace(/\/+$/, '');
}
