import { parseRepr } from './environment';

const SQL_CELL = /^\s*%%paimon\b[^\n]*(\n|$)/;

/** Return the position of the SQL in a cell that begins with `%%paimon`, or null for any other cell. */
export function sqlStart(source: string): number | null {
  return SQL_CELL.exec(source)?.[0].length ?? null;
}

/** A name that the catalog does not know, with its position in a cell. */
export interface UnknownName {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** Return a Python expression that a kernel evaluates to the unknown names in SQL; it imports no new modules. */
export function unknownNamesExpression(sql: string): string {
  const module = 'workbench.notebook.cells.unknown_names';
  return (
    `__import__("${module}", fromlist=["_"]).unknown_names_json(get_ipython(), ${JSON.stringify(sql)})` +
    ' if "workbench.notebook.magics" in __import__("sys").modules else "[]"'
  );
}

/** Return the unknown names in the result of the expression, with their positions in the cell. */
export function parseUnknownNames(text: string, source: string): UnknownName[] {
  const start = sqlStart(source) ?? 0;
  // Python counts code points, the editor counts UTF-16 code units.
  const characters = Array.from(source.slice(start));
  const position = (count: number) =>
    start + characters.slice(0, count).join('').length;
  const found = parseRepr(text) as {
    start: number;
    end: number;
    message: string;
  }[];
  return found.map(each => ({
    from: position(each.start),
    to: position(each.end),
    message: each.message
  }));
}
