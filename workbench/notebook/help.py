"""`%paimon help`."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from workbench.lens.charts.choice import KINDS
from workbench.notebook.command import Command, Session
from workbench.notebook.views import View
from workbench.sql.grid import Grid, GridColumn

_SOURCES = "[--snapshot N | --tag T] [--engine auto|duckdb|spark|jar]"
CELL = f"%%paimon [--out NAME] [--save FILE] [--chart [KIND]] [--limit N] {_SOURCES} [--vars] [--background] [--yes]"
CHART = f"%%paimon --chart [{'|'.join(KINDS)}]"
BACKGROUND = "%%paimon --background"
_EXAMPLES = {
    "connect": "%paimon connect /data/warehouse",
    "use": "%paimon use shop",
    "databases": "%paimon databases",
    "tables": "%paimon tables shop",
    "describe": "%paimon describe shop.orders",
    "explore": "%paimon explore",
    "summary": "%paimon summary shop.orders",
    "compaction": "%paimon compaction shop.orders",
    "timeline": "%paimon timeline shop.orders",
    "snapshots": "%paimon snapshots shop.orders --limit 20",
    "health": "%paimon health shop.orders",
    "levels": "%paimon levels shop.orders --snapshot 3",
    "biography": "%paimon biography shop.orders id=50",
    "explain": "%paimon explain shop.orders WHERE id = 50",
    "diff": "%paimon diff shop.orders@3..7",
    "truncate": "%paimon truncate shop.orders --yes",
    "rollback": "%paimon rollback shop.orders@3 --yes",
    "register": "%paimon register prices {frame}",
    "jobs": "%paimon jobs",
    "cancel": "%paimon cancel 2",
    "wait": "%paimon wait 2",
    "help": "%paimon help",
}
_GROUPS = {
    "Catalogs": ("connect", "use", "databases", "tables", "explore"),
    "Changes": ("truncate", "rollback"),
    "Queries": ("register",),
    "Jobs in the background": ("jobs", "cancel", "wait"),
    "Help": ("help",),
}
_TABLES = "Tables"


def help_view(session: Session, commands: Mapping[str, Command]) -> View:
    """Return the sub-commands in groups with an example each, the flags of a cell, and the open catalog."""
    group_of = {name: group for group, names in _GROUPS.items() for name in names}
    groups = ("Catalogs", _TABLES, "Changes", "Queries", "Jobs in the background", "Help")
    lines = [
        (f"%paimon {command.usage}", command.help, _EXAMPLES.get(name, ""), group)
        for group in groups
        for name, command in commands.items()
        if group_of.get(name, _TABLES) == group
    ]
    lines.append((CELL, "run the SQL statements below it", "%%paimon --limit 10 --out orders", "SQL"))
    lines.append((BACKGROUND, "run them while other cells run", "%%paimon --background --out orders", "SQL"))
    lines.append((CHART, "draw the result above its table", "%%paimon --chart line", "SQL"))
    catalog = f"Open: {session.label}, database {session.database or 'none'}." if session.catalog is not None else ""
    settings = "Defaults: %config PaimonMagic.limit = 50, PaimonMagic.engine = 'auto', PaimonMagic.substitute = False."
    columns = tuple(map(GridColumn, ("command", "meaning", "example")))
    grids = [Grid(group, columns, tuple(line[:3] for line in lines if line[3] == group)) for group in (*groups, "SQL")]
    grids[-1] = Grid("SQL", columns, grids[-1].rows, (settings, catalog))
    names = ("command", "meaning", "example", "group")
    rows = pa.table({name: [line[position] for line in lines] for position, name in enumerate(names)})
    return View(tuple(grids), rows)
