"""`%paimon help`."""

from __future__ import annotations

import pyarrow as pa

from workbench.notebook.commands import COMMANDS, Session
from workbench.notebook.views import View
from workbench.sql.grid import Grid, GridColumn

CELL = "%%paimon [--out NAME] [--limit N] [--snapshot N | --tag T] [--engine auto|spark|local] [--vars]"


def help_view(session: Session) -> View:
    """The sub-commands, the cell's flags, and what is open now."""
    lines = [(f"%paimon {command.usage}", command.help) for command in COMMANDS.values()]
    lines.append((CELL, "the cell below it is SQL: SELECT, INSERT, CREATE, DROP, SHOW, DESCRIBE"))
    where = f"Open: {session.label}, database {session.database or 'none'}." if session.catalog is not None else ""
    settings = "Defaults: %config PaimonMagic.limit = 50, PaimonMagic.engine = 'auto', PaimonMagic.substitute = True."
    grid = Grid("%paimon", (GridColumn("write"), GridColumn("to")), tuple(lines), (settings, where))
    rows = pa.table({"write": [line for line, _ in lines], "to": [text for _, text in lines]})
    return View((grid,), rows)
