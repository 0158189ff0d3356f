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

const REFERENCE = /\$\{(env|keyring):[^{}]*\}/;
const SECRET_NAME =
  /secret|passw|passphrase|credential|token|key|signature|\bsas\b/i;

/** Return the value of an option that is kept in an environment variable of the server. */
export function variableReference(name: string): string {
  return `\${env:${name.trim()}}`;
}

/** Return the name of the variable if a value is nothing but a reference to one. */
export function variableOf(value: string): string | null {
  return /^\$\{env:([^{}]*)\}$/.exec(value)?.[1] ?? null;
}

/** Return whether options contain a secret itself; `secrets` are the names of options that are known to hold one. */
export function holdsSecret(
  options: Readonly<Record<string, string>>,
  secrets: ReadonlySet<string>
): boolean {
  return Object.entries(options).some(
    ([name, value]) =>
      value !== '' &&
      !REFERENCE.test(value) &&
      (secrets.has(name) || SECRET_NAME.test(name))
  );
}
