import type { CatalogValue, Responses } from '../contract';
import { errorValue, wasCancelled, type ILakeSource } from '../source';
import {
  EMPTY_FOREST,
  mergeForests,
  withExpanded,
  withFailure,
  withPage,
  type Forest
} from './forest';
import { pathKey } from './names';
import { groupKey, groupsOf } from './rows';

/** The number of databases that are searched concurrently: each search lists a directory. */
const CONCURRENCY = 4;
const ALL_DATABASES = 1000;

export interface Wanted {
  readonly text: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface FoundByName {
  readonly forest: Forest;
  readonly databases: readonly string[];
  /** The number of tables of each database that could be listed. */
  readonly tables: ReadonlyMap<string, number>;
}

/** Search a catalog for databases and tables by name; databases with matching tables are expanded. */
export async function searchCatalog(
  source: ILakeSource,
  { name: catalog }: CatalogValue,
  wanted: Wanted
): Promise<FoundByName> {
  const key = pathKey([catalog]);
  const tables = new Map<string, number>();
  let forest = withExpanded(EMPTY_FOREST, key, true);
  try {
    const databases = await allDatabases(source, catalog, wanted.signal);
    const found = new Map<string, Forest>();
    await inTurns(databases, async database => {
      const path = [catalog, database] as const;
      const part = await searchDatabase(source, path, wanted, tables);
      if (part) {
        found.set(database, part);
      }
    });
    const names = databases.filter(database => found.has(database));
    for (const name of names) {
      forest = mergeForests(forest, found.get(name) ?? EMPTY_FOREST);
    }
    const page = { search: '', names, next: null, total: names.length };
    return { forest: withPage(forest, key, page, false), databases, tables };
  } catch (error) {
    if (wasCancelled(error)) {
      throw error;
    }
    forest = withFailure(forest, key, errorValue(error));
    return { forest, databases: [], tables };
  }
}

async function searchDatabase(
  source: ILakeSource,
  [catalog, database]: readonly [string, string],
  { text, limit, signal }: Wanted,
  tables: Map<string, number>
): Promise<Forest | null> {
  const key = pathKey([catalog, database]);
  const named = database.toLowerCase().includes(text.toLowerCase());
  try {
    const request = { catalog, database, search: text, limit };
    const answer = await source.read('tables', request, signal);
    const { items, next, total, listed, entries } = answer;
    tables.set(database, listed);
    const groups = groupsOf(entries);
    if (items.length + groups.length === 0) {
      return named ? EMPTY_FOREST : null;
    }
    const names = items.map(item => item.name);
    const keys = groups.map(group => groupKey(group, [catalog, database]));
    const open = [key, ...keys].reduce(
      (forest, each) => withExpanded(forest, each, true),
      EMPTY_FOREST
    );
    const page = { search: text, names, next, total, entries };
    return withPage(open, key, page, false);
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
