"""`%paimon help`."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from workbench.notebook.command import Command, Session
from workbench.notebook.views import View
from workbench.sql.grid import Grid, GridColumn

CELL = "%%paimon [--out NAME] [--save FILE] [--limit N] [--snapshot N | --tag T] [--engine auto|duckdb|spark] [--vars]"


def help_view(session: Session, commands: Mapping[str, Command]) -> View:
    """Return the sub-commands, the flags of a cell, and the open catalog."""
    lines = [(f"%paimon {command.usage}", command.help) for command in commands.values()]
    lines.append((CELL, "run the SQL below it: SELECT, INSERT, CREATE, DROP, SHOW, DESCRIBE"))
    catalog = f"Open: {session.label}, database {session.database or 'none'}." if session.catalog is not None else ""
    settings = "Defaults: %config PaimonMagic.limit = 50, PaimonMagic.engine = 'auto', PaimonMagic.substitute = True."
    grid = Grid("%paimon", (GridColumn("write"), GridColumn("to")), tuple(lines), (settings, catalog))
    rows = pa.table({"write": [line for line, _ in lines], "to": [text for _, text in lines]})
    return View((grid,), rows)
