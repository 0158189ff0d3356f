"""``paimon-workbench health``: what should be done about the tables of a warehouse, for people and for cron."""

from __future__ import annotations

import argparse
import json
import sys

from workbench.base.markup import printable
from workbench.base.progress import Progress, Step
from workbench.catalog.waits import waits
from workbench.cli.catalog_arguments import add_catalog_arguments, given_catalog
from workbench.cli.command import Command
from workbench.lens.health.catalog import TableHealthValue, describe_catalog_health, table_healths, tables_of
from workbench.lens.health.check import SEVERITIES
from workbench.lens.health.health import collect_health
from workbench.lens.health.values import HealthValue
from workbench.lens.wire import to_json

# The exit code if a table is in the condition of --fail-on or worse; 1 means an error, such as a warehouse that cannot
# be opened.
FOUND = 3
_NEVER = "never"
_DESCRIPTION = """\
Check the tables of a warehouse: small files, sorted runs, deletes, snapshots, options and more. Only metadata is read,
and nothing is changed. Each finding shows the statement that fixes it."""
_EPILOG = f"""\
exit code:
  0  no table is in the condition of --fail-on, poor by default
  {FOUND}  a table is in it, or in a worse one
  1  the warehouse or the table cannot be read
examples:
  paimon-workbench health /data/warehouse                  all tables, the worst first
  paimon-workbench health /data/warehouse shop             the tables of database shop
  paimon-workbench health /data/warehouse shop.orders      all findings about a table
  paimon-workbench health prod --fail-on attention --json  for cron; prod is named in a catalog file
  paimon-workbench health /data/warehouse --metastore jdbc --option uri=jdbc:mysql://db/paimon
"""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    add_catalog_arguments(parser)
    parser.add_argument("name", metavar="NAME", nargs="?", help="a table db.t, or a database; all tables by default")
    parser.add_argument(
        "--storage", action="store_true", help="list all directories: every missing file, and orphan files"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--fail-on",
        choices=(*SEVERITIES[1:], _NEVER),
        default="poor",
        help="the condition that is reported as a failure",
    )


def _run(given: argparse.Namespace) -> int:
    catalog = given_catalog(given)
    if given.name is not None and "." in given.name:
        health = collect_health(catalog.get_table(given.name), storage=given.storage)
        print(json.dumps(to_json(health), ensure_ascii=False) if given.json else table_text(health))
        return _code(health.condition, given.fail_on)
    names = tables_of(catalog, given.name)
    progress = Progress(_listener if sys.stderr.isatty() else None)
    # The number of tables is the progress.
    with waits.hidden():
        tables = list(table_healths(catalog, names, storage=given.storage, progress=progress))
    value = describe_catalog_health(catalog, tables, len(names), is_complete=True)
    if given.json:
        print(json.dumps(to_json(value), ensure_ascii=False))
    else:
        print("\n".join((*map(_line, value.tables), value.text)))
    return _code(value.condition, given.fail_on)


def _code(condition: str, fail_on: str) -> int:
    levels: tuple[str, ...] = SEVERITIES
    return FOUND if fail_on != _NEVER and levels.index(condition) >= levels.index(fail_on) else 0


def _listener(step: Step) -> None:
    end = "\r\033[K" if step.finished else f"\r{step.label}: {step.done:,} of {step.total or 0:,} {step.unit}"
    print(end, end="", file=sys.stderr, flush=True)


def _line(table: TableHealthValue) -> str:
    return f"{table.condition:<9}  {table.table}  {printable(table.finding) or 'nothing to do'}"


def table_text(health: HealthValue) -> str:
    """Return the findings about a table as text."""
    lines = [f"{health.table}: {health.text}"]
    for each in health.findings:
        limit = f" ({each.limit_text})" if each.limit_text else ""
        lines += ["", f"[{each.severity}] {each.title}", f"  {each.amount_text}{limit}", f"  {each.why}"]
        lines += [f"  {text}" for text in (each.read, each.write, each.gain, each.advice) if text]
        lines += [f"  {line}" for line in (each.fix.sql.splitlines() if each.fix else ())]
    return "\n".join(map(printable, lines))


HEALTH = Command("health", "check the condition of tables", _DESCRIPTION, _add_arguments, _run)
