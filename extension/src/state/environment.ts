import type { EnvironmentValue } from '../contract';

/** What a kernel says of itself; null parts where it has not loaded them. */
export interface KernelFacts {
  /** Without the library, its version is null. */
  readonly environment: Omit<EnvironmentValue, 'version'> & {
    readonly version: string | null;
  };
  readonly loaded: boolean;
  /** How the user named the catalog that `%paimon` has open. */
  readonly connected: string | null;
}

/**
 * An expression that a Python kernel answers with its facts, as JSON. It imports nothing of the library and leaves no
 * name behind.
 */
export const FACTS_EXPRESSION = `(lambda metadata, sys, json, socket, shell: (lambda magic: json.dumps({
  "environment": {
    "version": getattr(sys.modules.get("workbench.base.version"), "VERSION", None)
      or next((found.version for found in metadata.distributions(name="paimon-workbench")), None),
    "python": sys.executable, "prefix": sys.prefix, "host": socket.gethostname()},
  "loaded": magic is not None,
  "connected": magic.session.label if magic is not None and magic.session.catalog is not None else None
}))(shell.magics_manager.registry.get("PaimonMagic") if "paimon" in shell.magics_manager.magics["cell"] else None))(
  __import__("importlib.metadata").metadata, __import__("sys"), __import__("json"), __import__("socket"), get_ipython())`;

/** The facts in the text of an answered expression: Python's way to write the string that holds the JSON. */
export function parseFacts(text: string): KernelFacts {
  const body = text.slice(1, -1);
  const json = body.replace(/\\(['\\])/g, '$1');
  return JSON.parse(json) as KernelFacts;
}

export type Difference = 'version' | 'prefix' | 'host';

/** Where kernel and server differ, the weightiest difference; null where they are alike. */
export function difference(
  kernel: KernelFacts['environment'],
  server: EnvironmentValue
): Difference | null {
  if (kernel.host !== server.host) {
    return 'host';
  }
  if (kernel.version !== server.version) {
    return 'version';
  }
  return kernel.prefix === server.prefix ? null : 'prefix';
}
