import type { CatalogValue, Responses } from '../contract';
import { errorValue, wasCancelled, type ILakeSource } from '../source';
import {
  EMPTY_FOREST,
  withExpanded,
  withFailure,
  withPage,
  type Forest
} from './forest';
import { pathKey } from './names';

/** The number of databases that are searched concurrently: each search lists a directory. */
const CONCURRENCY = 4;
const ALL_DATABASES = 1000;

interface Searched {
  readonly text: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Search a catalog for databases and tables by name; databases with matching tables are expanded. */
export async function searchCatalog(
  source: ILakeSource,
  { name: catalog }: CatalogValue,
  searched: Searched
): Promise<Forest> {
  const key = pathKey([catalog]);
  let forest = withExpanded(EMPTY_FOREST, key, true);
  try {
    const databases = await allDatabases(source, catalog, searched.signal);
    const found = new Map<string, Forest>();
    await inTurns(databases, async database => {
      const part = await searchDatabase(source, catalog, database, searched);
      if (part) {
        found.set(database, part);
      }
    });
    const names = databases.filter(database => found.has(database));
    for (const name of names) {
      forest = mergeForests(forest, found.get(name) ?? EMPTY_FOREST);
    }
    const page = { search: '', names, next: null, total: names.length };
    return withPage(forest, key, page, false);
  } catch (error) {
    if (wasCancelled(error)) {
      throw error;
    }
    return withFailure(forest, key, errorValue(error));
  }
}

async function searchDatabase(
  source: ILakeSource,
  catalog: string,
  database: string,
  { text, limit, signal }: Searched
): Promise<Forest | null> {
  const key = pathKey([catalog, database]);
  const named = database.toLowerCase().includes(text.toLowerCase());
  try {
    const request = { catalog, database, search: text, limit };
    const { items, next, total } = await source.read('tables', request, signal);
    if (items.length === 0) {
      return named ? EMPTY_FOREST : null;
    }
    const names = items.map(item => item.name);
    const open = withExpanded(EMPTY_FOREST, key, true);
    return withPage(open, key, { search: text, names, next, total }, false);
  } catch (error) {
    if (wasCancelled(error)) {
      throw error;
    }
    const open = withExpanded(EMPTY_FOREST, key, true);
    return withFailure(open, key, errorValue(error));
  }
}

async function allDatabases(
  source: ILakeSource,
  catalog: string,
  signal: AbortSignal
): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const request = { catalog, cursor, limit: ALL_DATABASES };
    const page: Responses['databases'] = await source.read(
      'databases',
      request,
      signal
    );
    names.push(...page.items.map(item => item.name));
    cursor = page.next;
  } while (cursor !== null);
  return names;
}

async function inTurns(
  items: readonly string[],
  work: (item: string) => Promise<void>
): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined;) {
      await work(item);
      item = waiting.shift();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

export function mergeForests(one: Forest, other: Forest): Forest {
  return {
    branches: new Map([...one.branches, ...other.branches]),
    expanded: new Set([...one.expanded, ...other.expanded])
  };
}

/** Return the catalogs in which a search found something or failed. */
export function catalogsIn(
  catalogs: readonly CatalogValue[],
  found: Forest
): readonly CatalogValue[] {
  return catalogs.filter(({ name }) => {
    const branch = found.branches.get(pathKey([name]));
    return branch && (branch.status === 'failed' || branch.names.length > 0);
  });
}
