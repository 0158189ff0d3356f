"""Tables that track their rows, made by engines: columns updated by row id, deletes, compactions that keep the ids."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

import workbench as wb
from tests.interop import rows
from tests.interop.referees import JavaPaimon, PythonPeer
from tests.interop.rows import Rows, assert_same_rows, from_arrow

TRACKED = {"row-tracking.enabled": "true", "write-only": "true"}
EVOLVING = {**TRACKED, "data-evolution.enabled": "true"}


def java_update(java: JavaPaimon, warehouse: Path, table: str, data: pa.Table, first_row_id: int | None = None) -> None:
    """Write some columns of the rows from ``first_row_id`` onward, or new rows if it is None."""
    rows.to_json_lines(data, None, java.path("json"))
    where = {} if first_row_id is None else {"first_row_id": first_row_id}
    path = str(java.path("json"))
    java.ask("evolve", warehouse, table, what="update", columns=data.column_names, rows=path, **where)


def java_erase(java: JavaPaimon, warehouse: Path, table: str, first: int, step: int) -> None:
    """Delete every ``step``-th row of every range of row ids."""
    java.ask("evolve", warehouse, table, what="erase", first=first, step=step)


def java_compact(java: JavaPaimon, warehouse: Path, table: str, *, columns: bool, blobs: bool = False) -> None:
    """Compact as engines do, so that row ids are kept: ranges of column files, or whole files."""
    java.ask("evolve", warehouse, table, what="compact-columns" if columns else "compact-tracked", blobs=blobs)


def java_descriptors(java: JavaPaimon, warehouse: Path, table: str, column: str) -> list[bytes | None]:
    """Return the locations of the large objects of a column."""
    result = java.ask("evolve", warehouse, table, what="descriptors", column=column)["descriptors"]
    return [None if text is None else bytes.fromhex(text) for text in result]


def peer_update(peer: PythonPeer, warehouse: Path, table: str, data: pa.Table) -> None:
    """Write some columns of the rows whose ids are in column ``_ROW_ID``."""
    with pa.OSFile(str(peer.path("arrow")), "wb") as sink, pa.ipc.new_file(sink, data.schema) as writer:
        writer.write_table(data)
    peer.ask("evolve", warehouse, table, what="update", rows=str(peer.path("arrow")))


def peer_delete(peer: PythonPeer, warehouse: Path, table: str, row_ids: Sequence[int]) -> None:
    """Delete the rows of some ids."""
    peer.ask("evolve", warehouse, table, what="delete", row_ids=list(row_ids))


def agree_on_columns(
    engine: JavaPaimon | PythonPeer, warehouse: Path, table: str, columns: Sequence[str] | None = None, **options: Any
) -> Rows:
    """Return the rows that the engine reads, after checking that our library reads the same, whole and in batches."""
    theirs = engine.read(warehouse, table, columns, options=options)
    expected = Rows(theirs.columns, theirs.rows)
    ours = wb.connect(str(warehouse)).open(table)
    if "scan.snapshot-id" in options:
        ours = ours.at(snapshot=int(options["scan.snapshot-id"]))
    assert_same_rows(from_arrow(ours.to_arrow(columns)), expected)
    assert_same_rows(from_arrow(ours.to_batches(columns).read_all()), expected)
    return expected
