"""Real Paimon engines that judge our tables and write tables for us to judge: one process each, for a whole session."""

from __future__ import annotations

import base64
import json
import os
import pickle
import select
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.interop import rows
from tests.interop.provision import PEER_SCRIPTS, class_path, compiled, java, peer_python
from tests.interop.rows import Rows

JAVA_VERSIONS = {
    "java-2.0.0": "org.apache.paimon:paimon-flink-2.0:2.0.0",  # serves as the core without any Flink class
    "java-1.4.2": "org.apache.paimon:paimon-bundle:1.4.2",
}
WITH_DELETIONS = ("java-2.0.0",)
JAVA_SOURCES = (
    "Referee.java",
    "Reads.java",
    "Writes.java",
    "Values.java",
    "Specials.java",
    "Maintenance.java",
    "Casts.java",
    "Alterations.java",
    "Streams.java",
    "Versions.java",
)
PEER_SCRIPT_NAMES = {"pypaimon": "pypaimon_peer.py", "rust": "rust_peer.py"}
ANSWER_SECONDS = 180
JVM_FLAGS = ["-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Duser.timezone=UTC"]
# Arrow's off-heap buffers and Hadoop's reflection into the JDK
JVM_OPENS = [
    f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in ("java.lang", "java.nio", "java.util", "sun.nio.ch")
]


class RefereeError(Exception):
    """The engine refused or failed; the message is its own."""


@dataclass(frozen=True)
class Filter:
    """One condition of a conjunction.

    ``operation`` is equal, greater_or_equal, less_than, between, in, is_null or is_not_null.
    """

    column: str
    operation: str
    literals: pa.Array | None = None

    def __str__(self) -> str:
        return f"{self.column} {self.operation} {self.texts()}"

    def python_literals(self) -> list[Any]:
        """The literals as Python values."""
        if self.literals is None:
            return []
        kind = self.literals.type
        if pa.types.is_timestamp(kind) and kind.unit == "ns":  # Python's datetime ends at microseconds
            return self.literals.cast(pa.timestamp("us", kind.tz)).to_pylist()
        return self.literals.to_pylist()

    def texts(self) -> list[Any]:
        """The literals as texts for the Java side."""
        return [] if self.literals is None else [rows.java_text(text) for text in rows.column_text(self.literals)]


class LineProcess:
    """A child process that answers each line of JSON with a line of JSON."""

    def __init__(self, command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> None:
        self.log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - lives with it
        self.process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            encoding="utf-8",
            env={**os.environ, **(environment or {})},
        )

    def ask(self, request: Mapping[str, Any], seconds: float = ANSWER_SECONDS) -> dict[str, Any]:
        """Send a request and return its answer; raise RefereeError if the answer contains an error."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            state = f"ended with {self.process.wait(10)}" if ready else f"gave no answer within {seconds} s"
            self.close()
            raise AssertionError(f"the referee {state} at {request}\n{self.log_tail()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RefereeError(answer["error"])
        return answer

    def log_tail(self, characters: int = 3000) -> str:
        """Return the end of the process's error output."""
        self.log.seek(0)
        return self.log.read()[-characters:]

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()


class Engine:
    """The common part of Java and the Python peers: a line process, a directory for row files, the same requests.

    ``table`` is ``database.name`` everywhere; column types are Paimon's JSON types.
    """

    def __init__(self, name: str, command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.directory = tempfile.TemporaryDirectory(prefix=f"referee-{name}-")
        self.process = LineProcess([*command, self.directory.name], environment)

    def path(self, suffix: str) -> Path:
        """Return the path of a row file, which the next request overwrites."""
        return Path(self.directory.name) / f"rows.{suffix}"

    def ask(self, operation: str, warehouse: Path, table: str, **more: Any) -> dict[str, Any]:
        """Request one operation on one table."""
        return self.process.ask({"op": operation, "warehouse": str(warehouse), "table": table, **more})

    def column_type(self, type_json: Any) -> Any:
        """Return a column type in the form that the engine expects."""
        return type_json

    def create(
        self,
        warehouse: Path,
        table: str,
        columns: Mapping[str, Any],
        primary_key: Sequence[str] = (),
        partition_by: Sequence[str] = (),
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Create the table, and its database when missing."""
        self.ask(
            "create",
            warehouse,
            table,
            columns=[[name, self.column_type(type_json)] for name, type_json in columns.items()],
            primary_key=list(primary_key),
            partition_by=list(partition_by),
            options=dict(options or {}),
        )

    def list_tables(self, warehouse: Path, database: str) -> list[str]:
        """Names of the tables of a database."""
        return sorted(self.ask("list", warehouse, "", database=database)["tables"])

    def close(self) -> None:
        """End the process and remove its files."""
        self.process.close()
        self.directory.cleanup()


class JavaPaimon(Engine):
    """A Java Paimon of one version, driven by ``java/Referee.java``."""

    def __init__(self, name: str) -> None:
        libraries = class_path(JAVA_VERSIONS[name])
        sources = [*JAVA_SOURCES]
        sources += (
            ["Buckets.java", "Commits.java", "Deletions.java", "Evolution.java", "Keeping.java", "RowLevel.java"]
            if name in WITH_DELETIONS
            else []
        )
        classes = compiled(sources, libraries)
        separated = os.pathsep.join(map(str, [classes, *libraries]))
        super().__init__(name, [java(), *JVM_FLAGS, *JVM_OPENS, "-cp", separated, "Referee"])

    def write(
        self, warehouse: Path, table: str, data: pa.Table, kinds: Sequence[str] | None = None, **more: Any
    ) -> int:
        """Write in one commit, with Java's automatic compaction; return the id of the latest snapshot."""
        rows.to_json_lines(data, kinds, self.path("json"))
        snapshot: int = self.ask("write", warehouse, table, rows=str(self.path("json")), **more)["snapshot"]
        return snapshot

    def read(
        self,
        warehouse: Path,
        table: str,
        columns: Sequence[str] | None = None,
        filters: Sequence[Filter] = (),
        options: Mapping[str, str] | None = None,
    ) -> Rows:
        """Rows with filters fully applied; ``table`` may name a system table, ``options`` a version."""
        conditions = [[condition.column, condition.operation, condition.texts()] for condition in filters]
        answer = self.ask(
            "read",
            warehouse,
            table,
            columns=None if columns is None else list(columns),
            filters=conditions or None,
            options=dict(options or {}),
            out=str(self.path("json")),
        )
        return rows.from_json_lines(self.path("json"), answer["columns"], answer["floats"])

    def columns(self, warehouse: Path, table: str) -> list[tuple[str, str]]:
        """Names and SQL types of the columns; ``table`` may name a system table."""
        return [(name, text) for name, text in self.ask("schema", warehouse, table)["columns"]]

    def aggregate(self, warehouse: Path, table: str, columns: Sequence[str]) -> dict[str, Any]:
        """Return ``rows``, the number of rows, and the ``sums`` (text) of numeric columns."""
        return self.ask("aggregate", warehouse, table, columns=list(columns))

    def compact(self, warehouse: Path, table: str) -> int:
        """Compact every bucket fully, and return the id of the latest snapshot."""
        snapshot: int = self.ask("compact", warehouse, table)["snapshot"]
        return snapshot

    def alter(self, warehouse: Path, table: str, *changes: Sequence[Any]) -> None:
        """Apply ("add", name, type), ("drop", name), ("rename", old, new), ("type", name, type), ("set", key, text)."""
        self.ask("alter", warehouse, table, changes=[list(change) for change in changes])

    def erase(self, warehouse: Path, table: str, first: int, step: int) -> int:
        """Delete every ``step``-th row of every file of an append table, and return the id of the latest snapshot."""
        snapshot: int = self.ask("erase", warehouse, table, first=first, step=step)["snapshot"]
        return snapshot

    def expire(self, warehouse: Path, table: str, retain: int, changelogs: int | None = None) -> int:
        """Expire all but the newest ``retain`` snapshots, keep ``changelogs`` changelogs; return how many expired."""
        kept = retain if changelogs is None else changelogs
        expired: int = self.ask("expire", warehouse, table, retain=retain, changelogs=kept)["expired"]
        return expired


class PythonPeer(Engine):
    """A Python implementation in a separate environment, driven by a script of ``tests/peers``."""

    def __init__(self, name: str) -> None:
        command = [peer_python(name), "-u", PEER_SCRIPTS / PEER_SCRIPT_NAMES[name]]
        super().__init__(name, command, {"TZ": "UTC", "PYTHONPATH": "", "PYTHONUTF8": "1"})

    def write(
        self, warehouse: Path, table: str, data: pa.Table, kinds: Sequence[str] | None = None, **more: Any
    ) -> int:
        """Append or upsert in one commit, and return the id of the latest snapshot."""
        assert kinds is None, f"{self.name} takes no row kinds"
        path = self.path("arrow")
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, data.schema) as writer:
            writer.write_table(data)
        snapshot: int = self.ask("write", warehouse, table, rows=str(path), **more)["snapshot"]
        return snapshot

    def read_arrow(
        self,
        warehouse: Path,
        table: str,
        columns: Sequence[str] | None = None,
        filters: Sequence[Filter] = (),
        **more: Any,
    ) -> pa.Table:
        """Rows as the peer's Arrow table."""
        conditions = [(part.column, part.operation, part.python_literals()) for part in filters]
        path = self.path("arrow")
        self.ask(
            "read",
            warehouse,
            table,
            columns=None if columns is None else list(columns),
            filters=base64.b64encode(pickle.dumps(conditions)).decode() if conditions else None,
            out=str(path),
            **more,
        )
        with pa.OSFile(str(path)) as source:
            return pa.ipc.open_file(source).read_all()

    def read(
        self,
        warehouse: Path,
        table: str,
        columns: Sequence[str] | None = None,
        filters: Sequence[Filter] = (),
        options: Mapping[str, str] | None = None,
    ) -> Rows:
        """Rows as the peer gives them: not every peer applies a filter to each row."""
        return rows.from_arrow(self.read_arrow(warehouse, table, columns, filters, options=dict(options or {})))

    def aggregate(self, warehouse: Path, table: str, columns: Sequence[str]) -> dict[str, Any]:
        """Return ``rows``, the number of rows, and the ``sums`` (text) of numeric columns."""
        return self.ask("aggregate", warehouse, table, columns=list(columns))


class RustPeer(PythonPeer):
    """pypaimon-rust, whose tables are created in SQL."""

    def column_type(self, type_json: Any) -> Any:
        """Return the type as SQL in the spelling that its parser accepts."""
        assert isinstance(type_json, str), "nested types are not created through the Rust peer"
        return type_json.replace("WITH LOCAL TIME ZONE", "WITH TIME ZONE")

    def changes(self, warehouse: Path, table: str, start: int, end: int) -> Rows:
        """Raw rows of the commits in (start, end]."""
        return rows.from_arrow(self.read_arrow(warehouse, table, between=[start, end]))


def start(name: str) -> JavaPaimon | PythonPeer:
    """Start the referee of a name."""
    if name in JAVA_VERSIONS:
        return JavaPaimon(name)
    return RustPeer(name) if name == "rust" else PythonPeer(name)
