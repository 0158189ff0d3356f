"""The engines that make tables for the matrix and read them themselves."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, Protocol

from tests.interop.matrix import feature as f
from tests.interop.matrix.feature import Feature, Question, Step, Write
from tests.interop.matrix.fitting import NEWEST
from tests.interop.referees import JavaPaimon, PythonPeer, RefereeError
from tests.interop.rows import Rows


class Maker(Protocol):
    """One engine. ``exact_columns``: its system tables have the columns of 2.0.0; ``quick``: it reads in much less than
    a second, so every version is checked."""

    exact_columns: bool
    quick: bool

    def home(self, fresh: Path) -> tuple[Path, str]:
        """The location of the next table; ``fresh`` is a new folder for it."""

    def make(self, feature: Feature, warehouse: Path, table: str) -> None:
        """Create the table and run its steps."""

    def read(self, warehouse: Path, table: str, question: Question) -> Rows:
        """Return the engine's own answer to a question."""


def java_options(question: Question) -> dict[str, str]:
    """The read options with which Java answers the question."""
    options = dict(question.version)
    if question.changes:
        start, end, mode = question.changes
        timed = "-timestamp" if start.startswith("@") else ""
        options[f"incremental-between{timed}"] = f"{start.lstrip('@')},{end.lstrip('@')}"
        options["incremental-between-scan-mode"] = mode
    return options


def table_of(question: Question, table: str) -> str:
    """The table that Java reads for the question."""
    if question.of_catalog:
        return question.of_catalog
    return f"{table}$audit_log" if question.changes else f"{table}{question.suffix}"


class JavaCore:
    """Java through its programming interface."""

    quick = True

    def __init__(self, engine: JavaPaimon) -> None:
        self.engine = engine
        self.exact_columns = engine.name == NEWEST

    def home(self, fresh: Path) -> tuple[Path, str]:
        return fresh, "db.t"

    def make(self, feature: Feature, warehouse: Path, table: str) -> None:
        self.engine.create(
            warehouse, table, feature.columns, feature.primary_key, feature.partition_by, feature.options
        )
        for step in feature.steps:
            with suppress(RefereeError) if feature.fails else nullcontext():
                self.perform(step, warehouse, table)

    def perform(self, step: Step, warehouse: Path, table: str) -> None:
        """Run one step of a table's history."""
        java = self.engine
        match step:
            case Write(data, kinds, overwrite, branch):
                target = f"{table}$branch_{branch}" if branch else table
                java.write(warehouse, target, data, kinds, overwrite=overwrite)
            case f.Compact():
                java.compact(warehouse, table)
            case f.Alter(changes):
                java.alter(warehouse, table, *changes)
            case f.Tag(name, snapshot):
                java.ask("tag", warehouse, table, tag=name, snapshot=snapshot)
            case f.Branch(name, tag):
                java.ask("branch", warehouse, table, branch=name, **({"tag": tag} if tag else {}))
            case f.Expire(retain, changelogs):
                java.expire(warehouse, table, retain, changelogs)
            case f.RollBack(snapshot):
                java.ask("rollback", warehouse, table, snapshot=snapshot)
            case f.Erase(first, each):
                java.erase(warehouse, table, first, each)
            case f.FastForward(branch):
                self.maintain(warehouse, table, "fast-forward", branch)
            case f.Watermark(millis):
                self.maintain(warehouse, table, "watermark", snapshot=millis)
            case f.Consumer(name, snapshot):
                self.maintain(warehouse, table, "consumer", name, snapshot=snapshot)
            case f.DropPartition(column, value):
                self.maintain(warehouse, table, "drop-partition", column, value=value)

    def maintain(self, warehouse: Path, table: str, what: str, subject: str = "", **more: Any) -> None:
        """Perform an operation of ``java/Maintenance.java``."""
        self.engine.ask("maintain", warehouse, table, what=what, subject=subject, **more)

    def read(self, warehouse: Path, table: str, question: Question) -> Rows:
        return self.engine.read(warehouse, table_of(question, table), options=java_options(question))


class Peer:
    """A Python implementation, which creates tables and appends rows."""

    exact_columns = False
    quick = True

    def __init__(self, engine: PythonPeer, creator: Callable[[], PythonPeer]) -> None:
        self.engine = engine
        self.creator = creator

    def home(self, fresh: Path) -> tuple[Path, str]:
        return fresh, "db.t"

    def make(self, feature: Feature, warehouse: Path, table: str) -> None:
        self.creator().create(
            warehouse, table, feature.columns, feature.primary_key, feature.partition_by, feature.options
        )
        for step in feature.steps:
            assert isinstance(step, Write)
            self.engine.write(warehouse, table, step.data, overwrite=step.overwrite)

    def read(self, warehouse: Path, table: str, question: Question) -> Rows:
        return self.engine.read(warehouse, table, options=dict(question.version))
