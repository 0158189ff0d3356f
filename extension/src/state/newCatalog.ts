/** Return a default name for a warehouse: the last part of its path. */
export function nameFor(warehouse: string): string {
  const parts = warehouse.split(/[\\/]+/).filter(part => part !== '');
  return (parts[parts.length - 1] ?? '').replace(/[^\w-]+/g, '-');
}

/** Options as the user wrote them, and the first line that is none. */
export interface WrittenOptions {
  readonly options: Readonly<Record<string, string>>;
  readonly wrong: string | null;
}

/** Return the options in lines such as `s3.endpoint = http://localhost:9000`. */
export function optionsOf(text: string): WrittenOptions {
  const lines = text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
  const pairs = lines.map(line => /^([^=\s]+)\s*=\s*(.*)$/.exec(line));
  const wrong = lines.find((_, at) => pairs[at] === null) ?? null;
  const entries = pairs.flatMap(pair => (pair ? [[pair[1], pair[2]]] : []));
  return { options: Object.fromEntries(entries), wrong };
}
