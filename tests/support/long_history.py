"""A table with a long history, whose snapshot files are written directly and share the manifests of a few commits."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa

FIRST_MILLIS = 1_788_000_000_000
USERS = ("ingest-1", "ingest-2", "compactor", "analyst")
RARE_STATEMENT = "DELETE FROM clicks WHERE origin = 'needle'"

_OPTIONS = {"bucket": "1", "write-only": "true"}
_DAY_MILLIS = 86_400_000


def long_history(catalog: Any, name: str, count: int) -> Any:
    """Create ``database.table`` with ``count`` snapshots: bursts of appends, a compaction after every third, an
    overwrite and statistics now and then, quiet nights, and a new schema in the middle."""
    table = catalog.create_table(name, {"id": "BIGINT", "word": "STRING"}, primary_key="id", options=_OPTIONS)
    for first in range(0, 40, 10):
        table.write(pa.table({"id": range(first, first + 10), "word": ["word"] * 10}))
    directory = Path(table.location)
    _add_schema(directory)
    templates = [json.loads((directory / "snapshot" / f"snapshot-{each}").read_text()) for each in (1, 2, 3, 4)]
    chance, millis, rows = random.Random(7), FIRST_MILLIS, 0
    for number in range(1, count + 1):
        kind = _kind(number)
        added = -chance.randrange(400) if kind == "COMPACT" else chance.randrange(1, 900) if kind != "ANALYZE" else 0
        rows = max(0, rows + added)
        millis += _pause(chance, number)
        snapshot = templates[number % 4] | {
            "id": number,
            "schemaId": 1 if number > count // 2 else 0,
            "commitKind": kind,
            "commitUser": USERS[2] if kind == "COMPACT" else USERS[number // 50 % 2],
            "commitIdentifier": number,
            "timeMillis": millis,
            "deltaRecordCount": added,
            "totalRecordCount": rows,
            "properties": {"workbench.statement": _statement(number, count)},
        }
        (directory / "snapshot" / f"snapshot-{number}").write_text(json.dumps(snapshot))
    for number in range(count + 1, len(templates) + 1):
        (directory / "snapshot" / f"snapshot-{number}").unlink()
    (directory / "snapshot" / "LATEST").write_text(str(count))
    (directory / "snapshot" / "EARLIEST").write_text("1")
    return catalog.get_table(name)


def _add_schema(directory: Path) -> None:
    schema = json.loads((directory / "schema" / "schema-0").read_text())
    schema.update(id=1, timeMillis=schema["timeMillis"] + 1, comment="Clicks of all pages")
    (directory / "schema" / "schema-1").write_text(json.dumps(schema))


def _kind(number: int) -> str:
    if number % 997 == 0:
        return "OVERWRITE"
    if number % 501 == 0:
        return "ANALYZE"
    return "COMPACT" if number % 4 == 3 else "APPEND"


def _pause(chance: random.Random, number: int) -> int:
    """Return the milliseconds since the previous commit: some seconds, and hours where a night begins."""
    return 8 * 3_600_000 + chance.randrange(_DAY_MILLIS // 24) if number % 2500 == 0 else chance.randrange(500, 40_000)


def _statement(number: int, count: int) -> str:
    if number == count // 3:
        return RARE_STATEMENT
    return f"INSERT INTO clicks SELECT * FROM staging_{number % 7}"
