"""The registry of the views of a table, from which the sub-commands of ``%paimon`` are made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workbench.notebook.definition import TableView, ViewDefinition
from workbench.notebook.table_views.biography import BIOGRAPHY
from workbench.notebook.table_views.compaction import COMPACTION
from workbench.notebook.table_views.diff import DIFF
from workbench.notebook.table_views.diff_command import DIFF_COMMAND
from workbench.notebook.table_views.explain import EXPLAIN
from workbench.notebook.table_views.health import HEALTH
from workbench.notebook.table_views.levels import LEVELS
from workbench.notebook.table_views.summary import DESCRIPTION, SUMMARY
from workbench.notebook.table_views.timeline import TIMELINE

VIEWS: dict[str, ViewDefinition[Any, Any]] = {}


def register_view(definition: ViewDefinition[Any, Any]) -> None:
    """Add a view.

    Raises:
        ValueError: another view has its name or its sub-command.
    """
    words = definition.commands.keys()
    for other in VIEWS.values():
        if other.name == definition.name or words & other.commands.keys():
            raise ValueError(f"View '{definition.name}' conflicts with the registered view '{other.name}'.")
    VIEWS[definition.name] = definition


def show_view(name: str, table: Any) -> TableView[Any, Any]:
    """Return the view of that name of a table."""
    return TableView(VIEWS[name], table)


# The command creates views from the definition of comparisons, so it cannot be part of that definition.
_DIFF = replace(DIFF, command=DIFF_COMMAND)
for _definition in (DESCRIPTION, SUMMARY, TIMELINE, LEVELS, _DIFF, COMPACTION, BIOGRAPHY, EXPLAIN, HEALTH):
    register_view(_definition)
