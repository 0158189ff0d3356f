import type {
  CatalogValue,
  FoundTable,
  Requests,
  Responses
} from '../contract';
import { errorValue, wasCancelled, type ILakeSource } from '../source';
import type { Forest } from './forest';
import { pathKey } from './names';
import type { Wanted } from './search';

/** A catalog, a database or a table that a search could not read, and why. */
export interface Unsearched {
  readonly name: string;
  readonly reason: string;
}

/** How much of the schemas a search has read. */
export interface Coverage {
  readonly read: number;
  readonly total: number;
  readonly unsearched: readonly Unsearched[];
}

export const NOTHING_COVERED: Coverage = { read: 0, total: 0, unsearched: [] };

/** What one answer adds to a search. */
interface Part {
  readonly found: readonly FoundTable[];
  readonly read: number;
  readonly unsearched: readonly Unsearched[];
}

/** Search the columns and comments of the tables of databases, part by part; `show` receives each part. */
export async function searchSchemas(
  source: ILakeSource,
  catalog: string,
  databases: readonly string[],
  { text, signal }: Wanted,
  show: (database: string, part: Part) => void
): Promise<void> {
  for (const database of databases) {
    let cursor: string | null = null;
    do {
      const request: Requests['table_search'] = {
        catalog,
        database,
        text,
        cursor
      };
      const answer: Responses['table_search'] | Part = await source
        .read('table_search', request, signal)
        .catch((error: unknown) => failedPart(`${catalog}.${database}`, error));
      if (signal.aborted) {
        return;
      }
      if ('unsearched' in answer) {
        show(database, answer);
        break;
      }
      const unsearched = answer.unread.map(({ table, reason }) => ({
        name: `${catalog}.${database}.${table}`,
        reason
      }));
      const read = answer.read - unsearched.length;
      show(database, { found: answer.found, read, unsearched });
      cursor = answer.next;
    } while (cursor !== null);
  }
}

function failedPart(name: string, error: unknown): Part {
  if (wasCancelled(error)) {
    throw error;
  }
  const reason = errorValue(error).message;
  return { found: [], read: 0, unsearched: [{ name, reason }] };
}

export function withPart(coverage: Coverage, part: Part): Coverage {
  const read = coverage.read + part.read;
  return {
    read,
    // Tables may have been created since they were counted.
    total: Math.max(coverage.total, read),
    unsearched: [...coverage.unsearched, ...part.unsearched]
  };
}

/** Return everything that a search could not read: catalogs, databases as `catalog.database`, and tables. */
export function allUnsearched(
  catalogs: readonly CatalogValue[],
  found: Forest,
  coverage: Coverage
): readonly Unsearched[] {
  const failures = (...path: string[]): Unsearched[] => {
    const { status, error } = found.branches.get(pathKey(path)) ?? {};
    const reason = error?.message ?? '';
    return status === 'failed' ? [{ name: path.join('.'), reason }] : [];
  };
  const byName = catalogs.flatMap(({ name }) => {
    const databases = found.branches.get(pathKey([name]))?.names ?? [];
    const inside = databases.flatMap(database => failures(name, database));
    return [...failures(name), ...inside];
  });
  return [...byName, ...coverage.unsearched];
}
