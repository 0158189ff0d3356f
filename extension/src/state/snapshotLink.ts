import type { CatalogValue, EnvironmentValue, Int64 } from '../contract';

/** A snapshot that a cell created, as its output names it. */
export interface SnapshotLink {
  readonly message: string;
  readonly warehouse: string;
  readonly catalog: string | null;
  readonly database: string;
  readonly table: string;
  readonly snapshot: Int64;
  readonly environment?: EnvironmentValue;
}

/** Return the link in an output, or null if it is invalid: notebooks are untrusted input. */
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

/**
 * Return the catalog of a link: the one with the same name and warehouse, else with the same warehouse, else with the
 * same name.
 */
export function catalogFor(
  link: Pick<SnapshotLink, 'catalog' | 'warehouse'>,
  catalogs: readonly CatalogValue[]
): CatalogValue | null {
  const named = catalogs.filter(({ name }) => name === link.catalog);
  const located = catalogs.filter(
    ({ warehouse }) => plain(warehouse) === plain(link.warehouse)
  );
  return (
    located.find(each => named.includes(each)) ?? located[0] ?? named[0] ?? null
  );
}

function plain(warehouse: string): string {
  return warehouse.replace(/^file:(\/\/)?/, '').replace(/\/+$/, '');
}
