"""Avro files of many blocks are decoded column by column: the same rows as record by record, and the same errors."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import workbench as wb
from workbench.base.errors import CorruptFile
from workbench.datafile.formats import avro_reader as avro
from workbench.format.avro import leaves as avro_leaves

NEVER = 1 << 40
KINDS: dict[str, tuple[str, list[Any]]] = {
    "b": ("BOOLEAN", [True, False]),
    "i1": ("TINYINT", [-128, 0, 127]),
    "i2": ("SMALLINT", [-32768, 5]),
    "i4": ("INT", [-(1 << 31), 63, 64, (1 << 31) - 1]),
    "i8": ("BIGINT", [-(1 << 63), -65, (1 << 63) - 1]),
    "f": ("FLOAT", [0.5, float("inf"), -0.0]),
    "d": ("DOUBLE", [0.1, float("-inf"), 1e300]),
    "s": ("STRING", ["", "é", "語" * 50]),
    "c": ("CHAR(3)", ["abc"]),
    "y": ("BYTES", [b"", b"\xff\x00"]),
    "p": ("DECIMAL(9, 2)", [Decimal("-1.25"), Decimal("9999999.99")]),
    "q": ("DECIMAL(38, 0)", [Decimal(10**37), Decimal(-1)]),
    "day": ("DATE", [date(1, 1, 1), date(2026, 11, 22)]),
    "at": ("TIME(3)", [time(0), time(23, 59, 59, 999000)]),
    "ms": ("TIMESTAMP(3)", [datetime(1931, 5, 1, 1, 2, 3, 4000), datetime(2026, 1, 1)]),
    "us": ("TIMESTAMP(6)", [datetime(1931, 5, 1, 1, 2, 3, 4), datetime(9999, 1, 1)]),
    "z": ("TIMESTAMP(6) WITH LOCAL TIME ZONE", [datetime(2026, 1, 1, tzinfo=UTC)]),
    "nothing": ("STRING", []),
}


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., wb.Table]:
    catalog = wb.connect(str(tmp_path))
    catalog.create_database("db")

    def table(columns: dict[str, str], compression: str = "zstd") -> wb.Table:
        options = {"file.format": "avro", "file.compression": compression}
        return catalog.create_table("db.t", columns, options=options)

    return table


def drawn(table: wb.Table, rows: int, nulls: float) -> pa.Table:
    chance, columns = random.Random(7), {}
    for each in table.arrow_schema:
        values = KINDS[each.name][1]
        result = [chance.choice(values) if values and chance.random() >= nulls else None for _ in range(rows)]
        columns[each.name] = pa.array(result, each.type)
    return pa.table(columns)


def outcome(table: wb.Table, columns: list[str] | None = None) -> pa.Table | str:
    try:
        return wb.connect(str(Path(table.location).parents[1])).get_table("db.t").to_arrow(columns=columns)
    except CorruptFile as error:
        return type(error).__name__


def texts(result: pa.Table | str) -> str:
    return result if isinstance(result, str) else repr(result.to_pylist())


def in_columns(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Decode files with any number of blocks in columns, and record whether that happened."""
    used: list[bool] = []
    monkeypatch.setattr(avro_leaves, "_FEWEST_BLOCKS", 1)

    def noted(*arguments: Any) -> Any:
        result = avro_leaves.leaf_columns(*arguments)
        used.append(result is not None)
        return result

    monkeypatch.setattr(avro, "leaf_columns", noted)
    return used


@pytest.mark.parametrize("nulls", [0.0, 0.3])
def test_every_type(make: Callable[..., wb.Table], monkeypatch: pytest.MonkeyPatch, nulls: float) -> None:
    table = make({name: kind for name, (kind, _) in KINDS.items()})
    rows = drawn(table, 3000, nulls)
    table.write(rows)
    monkeypatch.setattr(avro_leaves, "_FEWEST_BLOCKS", NEVER)
    expected = outcome(table)
    used = in_columns(monkeypatch)
    assert isinstance(expected, pa.Table)
    assert expected.equals(rows.cast(expected.schema))
    assert outcome(table) == expected
    assert outcome(table, ["s", "i8"]) == expected.select(["s", "i8"])
    assert used == [True, True]


def test_nested_columns_are_read_record_by_record(
    make: Callable[..., wb.Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make({"id": "INT", "m": "MAP<STRING, INT>"})
    table.write(pa.table({"id": [1, 2], "m": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int32()))}))
    used = in_columns(monkeypatch)
    assert table.to_arrow(columns=["id"]).to_pydict() == {"id": [1, 2]}
    assert table.to_arrow().to_pylist() == [{"id": 1, "m": [("a", 1)]}, {"id": 2, "m": None}]
    assert used == [False, False]


def test_lists_are_skipped(make: Callable[..., wb.Table], monkeypatch: pytest.MonkeyPatch) -> None:
    table = make({"id": "INT", "l": "ARRAY<STRING>", "r": "ROW<a INT, b STRING>", "n": "BIGINT"})
    rows = [{"id": i, "l": ["x"] * (i % 4), "r": {"a": i, "b": None}, "n": -i} for i in range(50)]
    table.write(rows)
    used = in_columns(monkeypatch)
    assert table.to_arrow(columns=["n", "id"]).to_pylist() == [{"n": -i, "id": i} for i in range(50)]
    assert used == [True]


def test_changed_bytes(make: Callable[..., wb.Table], monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of decoding have the same outcome for a changed byte that no compression or checksum detects."""
    columns = {name: KINDS[name][0] for name in ("b", "i4", "i8", "d", "s", "y")}
    table = make(columns, compression="null")
    table.write(drawn(table, 300, 0.2))
    (path,) = Path(table.location).rglob("data-*.avro")
    whole, chance = path.read_bytes(), np.random.default_rng(3)
    used: list[bool] = []
    for position in chance.integers(600, len(whole), 50).tolist():
        changed = bytearray(whole)
        changed[position] ^= int(chance.integers(1, 256))
        path.write_bytes(changed)
        with monkeypatch.context() as patch:
            patch.setattr(avro_leaves, "_FEWEST_BLOCKS", NEVER)
            expected = outcome(table)
        with monkeypatch.context() as patch:
            now = in_columns(patch)
            result = outcome(table)
            used += now
        # Compared as text, because NaN must equal NaN here.
        assert texts(result) == texts(expected), position
    assert set(used) == {True, False}
