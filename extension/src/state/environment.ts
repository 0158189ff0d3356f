import type { EnvironmentValue } from '../contract';

/** The facts of a kernel; null for anything that it has not loaded. */
export interface KernelFacts {
  /** The version is null if the library is not installed. */
  readonly environment: Omit<EnvironmentValue, 'version'> & {
    readonly version: string | null;
  };
  readonly loaded: boolean;
  /** The name or warehouse with which `%paimon connect` opened its catalog. */
  readonly connected: string | null;
}

/**
 * A Python expression that a kernel evaluates to its facts as JSON. It does not import the library and defines no
 * names.
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

/** Return the facts in the result of the expression. */
export function parseFacts(text: string): KernelFacts {
  return parseRepr(text) as KernelFacts;
}

/** Return the value in the Python repr of a JSON string. */
export function parseRepr(text: string): unknown {
  const body = text.slice(1, -1);
  const json = body.replace(/\\(['\\])/g, '$1');
  return JSON.parse(json);
}

export type Difference = 'version' | 'prefix' | 'host';

/** Return the most important difference between kernel and server, or null if there is none. */
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
