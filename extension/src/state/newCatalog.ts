/** Return a default catalog name for a warehouse: the last part of its path. */
export function nameFor(warehouse: string): string {
  const parts = warehouse.split(/[\\/]+/).filter(part => part !== '');
  return (parts[parts.length - 1] ?? '').replace(/[^\w-]+/g, '-');
}

/** The options that the user entered, and the first line that is not an option. */
export interface WrittenOptions {
  readonly options: Readonly<Record<string, string>>;
  readonly invalidLine: string | null;
}

/** Return the options in lines of the form `s3.endpoint = http://localhost:9000`. */
export function optionsOf(text: string): WrittenOptions {
  const lines = text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
  const pairs = lines.map(line => /^([^=\s]+)\s*=\s*(.*)$/.exec(line));
  const invalidLine = lines.find((_, at) => pairs[at] === null) ?? null;
  const entries = pairs.flatMap(pair => (pair ? [[pair[1], pair[2]]] : []));
  return { options: Object.fromEntries(entries), invalidLine };
}
