"""The common part of makers that use SQL: one session over one warehouse, a database for each table."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.interop.matrix.feature import Alter, Feature, Question, Step, Write
from tests.interop.matrix.fitting import without_retracts
from tests.interop.matrix.spelling import bare, literal
from tests.interop.referees import RefereeError
from tests.interop.rows import Rows, from_arrow

KEYS_IN_SQL = ("TINYINT", "SMALLINT", "INT", "BIGINT", "STRING")


class SqlMaker(ABC):
    """An engine that is used through SQL. Retracts become DELETE statements if a table keeps the last row of a key."""

    exact_columns = False
    quick = False

    def __init__(self, warehouse: Path) -> None:
        self.warehouse = warehouse
        self.numbers = itertools.count()

    def home(self, _fresh: Path) -> tuple[Path, str]:
        return self.warehouse, f"c{next(self.numbers)}.t"

    def make(self, feature: Feature, _warehouse: Path, table: str) -> None:
        self.create(feature, table)
        columns = dict(feature.columns)
        for step in feature.steps:
            if isinstance(step, Alter):
                columns = altered(columns, step.changes)
            with suppress(RefereeError) if feature.fails else nullcontext():
                if isinstance(step, Write):
                    self.write(feature, columns, table, step)
                else:
                    self.perform(step, table)

    def perform(self, step: Step, table: str) -> None:
        """Perform a step without rows."""
        for statement in self.procedure(step, table):
            self.execute(statement)

    def write(self, feature: Feature, columns: dict[str, Any], table: str, step: Write) -> None:
        """Insert the added rows, then delete the deleted ones."""
        database, name = table.split(".")
        target = f"{database}.`{name}$branch_{step.branch}`" if step.branch else table
        added = without_retracts(step)
        if isinstance(added, Write):
            self.insert(target, added.data, columns, step.overwrite)
        engine = feature.options.get("merge-engine", "deduplicate")
        simple = all(bare(columns[key]) in KEYS_IN_SQL for key in feature.primary_key)
        if step.kinds and feature.primary_key and engine == "deduplicate" and simple:
            removed = step.data.filter(pa.array([kind == "-D" for kind in step.kinds]))
            if removed.num_rows:
                self.execute(f"DELETE FROM {target} WHERE {_any_of(removed, feature, columns)}")

    @abstractmethod
    def execute(self, statement: str) -> None:
        """Run one statement to its end."""

    @abstractmethod
    def create(self, feature: Feature, table: str) -> None:
        """Create the table and its database."""

    @abstractmethod
    def insert(self, table: str, data: pa.Table, columns: dict[str, Any], overwrite: bool) -> None:
        """Insert rows in one commit."""

    @abstractmethod
    def procedure(self, step: Step, table: str) -> list[str]:
        """Return the statements of a step without rows."""

    @abstractmethod
    def read(self, _warehouse: Path, table: str, question: Question) -> Rows:
        """Return the engine's own answer to a question."""


def altered(columns: dict[str, Any], changes: tuple[tuple[Any, ...], ...]) -> dict[str, Any]:
    """Return the columns after the changes."""
    for change in changes:
        match change:
            case ("add", name, type_json) | ("type", name, type_json):
                columns = {**columns, name: type_json}
            case ("drop", name):
                columns = {each: kind for each, kind in columns.items() if each != name}
            case ("rename", old, new):
                columns = {new if each == old else each: kind for each, kind in columns.items()}
    return columns


def _any_of(rows: pa.Table, feature: Feature, columns: dict[str, Any]) -> str:
    keys = from_arrow(rows.select(list(feature.primary_key)))
    conditions = (
        " AND ".join(
            f"`{name}` = {literal(columns[name], str(value))}" for name, value in zip(keys.columns, row, strict=True)
        )
        for row in keys.rows
    )
    return " OR ".join(f"({condition})" for condition in conditions)
