"""Flink SQL with the Paimon connector in one process: the judge of SQL, procedures, changelogs and streaming."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.interop.provision import class_path, compiled, flink_jars, java
from tests.interop.referees import JAVA_VERSIONS, JVM_FLAGS, LineProcess
from tests.interop.rows import Rows

OPENED = ("lang", "util", "nio", "util.concurrent", "lang.reflect", "net", "text", "time")  # what Flink reflects into


class FlinkSql:
    """A Flink table environment over one warehouse, whose catalog ``p`` is the current one."""

    def __init__(self, warehouse: Path, streaming: bool = False) -> None:
        libraries = [*flink_jars(), *class_path(JAVA_VERSIONS["java-2.0.0"])]
        classes = compiled(["FlinkSql.java", "FlinkValues.java"], libraries)
        opens = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in OPENED]
        separated = os.pathsep.join(map(str, [classes, *libraries]))
        mode = "streaming" if streaming else "batch"
        self.process = LineProcess([java(), *JVM_FLAGS, "-Xmx2g", *opens, "-cp", separated, "FlinkSql", mode])
        self.execute(f"CREATE CATALOG p WITH ('type'='paimon', 'warehouse'='{warehouse.as_uri()}')")
        self.execute("USE CATALOG p")

    def execute(self, sql: str, limit: int = -1) -> list[tuple[Any, ...]]:
        """Run one statement to its end, or to ``limit`` rows; each row is its kind and the texts of its values.

        With a limit of 0, the statement runs but its result is not fetched, as an INSERT requires.
        """
        return [tuple(row) for row in self.process.ask({"sql": sql, "limit": limit}, seconds=300)["rows"]]

    def set(self, key: str, value: str) -> None:
        """Set an option of the session."""
        self.process.ask({"set": key, "value": value})

    def query(self, sql: str) -> Rows:
        """Return all rows of a query in the form that is common to all engines."""
        answer = self.process.ask({"sql": sql, "limit": -1}, seconds=300)
        kinds, *_ = zip(*answer["rows"], strict=True) if answer["rows"] else ((),)
        return Rows(tuple(answer["columns"]), tuple(tuple(map(_plain, row[1:])) for row in answer["rows"]), kinds)

    def close(self) -> None:
        """End the process."""
        self.process.close()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return repr(float.fromhex(value["float"]))
    return tuple(map(_plain, value)) if isinstance(value, list) else value
