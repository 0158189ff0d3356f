"""File indexes that Java 2.0.0 wrote: decoded, queried for every value, and damaged."""

from __future__ import annotations

import json
import random
from base64 import b64decode
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from workbench.expr.evaluate import filter_mask
from workbench.expr.expressions import Column, Comparison, Expr, In, IsNull, Literal, Not, Or
from workbench.expr.file_index import rows_that_may_match
from workbench.expr.kinds import to_internal
from workbench.format.index.file_index.container import read_file_index
from workbench.format.index.file_index.hashes import wang64, xxhash64
from workbench.format.index.file_index.indexes import open_index
from workbench.format.index.file_index.keys import key_kind
from workbench.format.index.file_index.rows import RowSet
from workbench.format.rows.cursor import Cursor
from workbench.format.types import DataType, to_arrow
from workbench.format.types.type_parser import parse_type

LINES = (Path(__file__).parent / "recorded" / "file_indexes.jsonl").read_text(encoding="utf-8").splitlines()
RECORDED = {line["kind"]: line for line in map(json.loads, LINES)}
ANSWERS = {
    "bloom-filter": {"=", "<=>"},
    "bitmap": {"=", "<=>", "<>", "NULL"},
    "bitmap-1": {"=", "<=>", "<>", "NULL"},
    "range-bitmap": {"=", "<=>", "<>", "NULL", "<", "<=", ">", ">="},
    "bsi": {"=", "<=>", "<>", "NULL", "<", "<=", ">", ">="},
}
OTHERS: dict[str, list[Any]] = {
    "i": [-7, 0, 3, 90000, -(2**31), 2**31 - 1],
    "s": ["", "ink", "pen", "penny", "p", "日本", "\U0001f600"],
    "d": [float("-inf"), -0.0, 0.0, 2.5, float("inf"), float("nan")],
    "m": [Decimal("-9999999.99"), Decimal("-3.50"), Decimal("0.00"), Decimal("1.25"), Decimal("9999999.99")],
    "b": [True, False],
    "t": [-1, 0, 1, 1_700_000_000_123],
    "x": [b"", b"\x00\xff", b"a", b"b"],
}


def stored(column: str, value: Any) -> Any:
    if value is None:
        return None
    return {"d": float, "m": Decimal, "x": bytes.fromhex}.get(column, lambda each: each)(value)


def rows_of(recorded: dict[str, Any]) -> pa.Table:
    arrays = {
        name: pa.array([stored(name, value) for value in values], to_arrow(parse_type(recorded["types"][name])))
        for name, values in recorded["values"].items()
    }
    return pa.table(arrays)


def conditions(name: str, kind: DataType) -> Iterator[tuple[str, Expr]]:
    this = Column(name, kind)
    literals = [Literal(to_internal(pa.scalar(value, to_arrow(kind))), kind) for value in OTHERS[name]]
    yield "NULL", IsNull(this)
    yield "NULL", Not(IsNull(this))
    for literal in literals:
        for sign in ("=", "<=>", "<>", "<", "<=", ">", ">="):
            yield sign, Comparison(sign, this, literal)
        yield "<>", Not(Comparison("=", this, literal))
        yield "<=", Not(Comparison(">", this, literal))
    for some in (literals[:2], literals[1:]):
        yield "=", In(this, tuple(some))
        yield "<>", Not(In(this, tuple(some)))


@pytest.mark.parametrize("index", RECORDED)
def test_the_rows_that_match_are_found(index: str) -> None:
    recorded = RECORDED[index]
    bodies = read_file_index(b64decode(recorded["index"]))
    assert bodies is not None
    rows = rows_of(recorded)
    for name, text in recorded["types"].items():
        keys = key_kind(parse_type(text))
        assert keys is not None
        opened = open_index(index.removesuffix("-1"), bodies[name][index.removesuffix("-1")], keys, rows.num_rows)
        assert opened is not None
        reported = set()
        for sign, condition in conditions(name, parse_type(text)):
            result = rows_that_may_match(condition, lambda _, both=(keys, [opened]): both, rows.num_rows)  # type: ignore[misc]
            if result is not None:
                reported.add(sign)
                true = filter_mask(condition, rows).to_pylist()
                assert result.positions() == [position for position, flag in enumerate(true) if flag], str(condition)
        assert reported == ANSWERS[index]


def test_conditions_together() -> None:
    recorded = RECORDED["bitmap"]
    bodies, rows = read_file_index(b64decode(recorded["index"])), rows_of(recorded)
    assert bodies is not None
    known = {}
    for name in "is":
        keys = key_kind(parse_type(recorded["types"][name]))
        assert keys is not None
        opened = open_index("bitmap", bodies[name]["bitmap"], keys, rows.num_rows)
        known[name] = None if opened is None else (keys, [opened])
    seven = Comparison("=", Column("i", parse_type("INT")), Literal(-7, parse_type("INT")))
    pen = Comparison("=", Column("s", parse_type("STRING")), Literal("pen", parse_type("STRING")))
    unknown = Comparison(">", Column("s", parse_type("STRING")), Literal("x", parse_type("STRING")))
    for condition in (seven & pen, Or((seven, pen)), Not(seven & pen), Not(Or((seven, pen)))):
        result = rows_that_may_match(condition, known.get, rows.num_rows)
        assert result is not None
        true = filter_mask(condition, rows).to_pylist()
        assert result.positions() == [position for position, flag in enumerate(true) if flag], str(condition)
    assert rows_that_may_match(Or((seven, unknown)), known.get, rows.num_rows) is None
    nothing = Not(In(seven.left, (seven.right, Literal(None, parse_type("INT")))))
    never = rows_that_may_match(nothing, known.get, rows.num_rows)
    assert never is not None
    assert not never
    both, one = (rows_that_may_match(each, known.get, rows.num_rows) for each in (seven & unknown, seven))
    assert both is not None
    assert one is not None
    assert both.positions() == one.positions()


def test_an_index_without_values() -> None:
    """For a map key in a file without rows, Java writes an index without values: =, < and >= then match no rows."""
    keys = key_kind(parse_type("INT"))
    assert keys is not None
    opened = open_index("bitmap", None, keys, 4)
    assert opened is not None
    this, seven = Column("i", parse_type("INT")), Literal(7, parse_type("INT"))
    for sign in ("=", "<", ">="):
        result = rows_that_may_match(Comparison(sign, this, seven), lambda _: (keys, [opened]), 4)
        assert result is not None
        assert not result
    assert rows_that_may_match(IsNull(this), lambda _: (keys, [opened]), 4) is None
    assert rows_that_may_match(Comparison("<>", this, seven), lambda _: (keys, [opened]), 4) is None


def test_keys_of_maps_have_separate_indexes() -> None:
    bodies = read_file_index(b64decode(RECORDED["bitmap"]["index"]))
    assert bodies is not None
    assert set(bodies["k[a]"]) == {"bitmap"}


def test_unknown_indexes_are_skipped() -> None:
    keys = key_kind(parse_type("INT"))
    assert keys is not None
    assert open_index("token-tree", b"", keys, 4) is None
    assert open_index("bitmap", b"\x03", keys, 4) is None
    assert open_index("range-bitmap", b"\0\0\0\0\x02", keys, 4) is None
    data = b64decode(RECORDED["bsi"]["index"])
    assert read_file_index(data[:8] + b"\0\0\0\x02" + data[12:]) is None
    assert key_kind(parse_type("ARRAY<INT>")) is None


@pytest.mark.parametrize("index", RECORDED)
def test_damage_is_noticed_or_harmless(index: str) -> None:
    """Damaged bytes lead to an answer or to a ValueError, never to another exception."""
    recorded = RECORDED[index]
    whole = b64decode(recorded["index"])
    rows = len(recorded["values"]["i"])
    chance = random.Random(index)
    damaged = [whole[:size] for size in range(0, len(whole), 1 + len(whole) // 40)]
    for _ in range(60):
        position = chance.randrange(len(whole))
        damaged.append(whole[:position] + bytes([chance.randrange(256)]) + whole[position + 1 :])
    failures = sum(_fails(data, recorded, index.removesuffix("-1"), rows) for data in damaged)
    assert failures > len(damaged) // 4


def _fails(data: bytes, recorded: dict[str, Any], index: str, rows: int) -> bool:
    try:
        for name, text in recorded["types"].items():
            keys = key_kind(parse_type(text))
            body = ((read_file_index(data) or {}).get(name) or {}).get(index)
            opened = None if keys is None else open_index(index, body, keys, rows)
            if keys is not None and opened is not None:
                for _, condition in conditions(name, parse_type(text)):
                    rows_that_may_match(condition, lambda _, both=(keys, [opened]): both, rows)  # type: ignore[misc]
    except ValueError:
        return True
    return False


def test_row_sets() -> None:
    some = RowSet.one(11, 3) | RowSet.one(11, 10)
    assert (some.positions(), len(some), bool(some)) == ([3, 10], 2, True)
    assert (~some).positions() == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert (RowSet.all(11) - some).positions() == (~some).positions()
    assert (some & RowSet.one(11, 3)).positions() == [3]
    assert not RowSet.none(0)
    with pytest.raises(ValueError, match="row 11 of 11"):
        RowSet.one(11, 11)
    with pytest.raises(ValueError, match="an index cannot have"):
        RowSet.none(1 << 40)
    bitmap = b"\x3a\x30\0\0\x01\0\0\0\0\0\x01\0\x10\0\0\0\x03\0\x0b\0"
    assert RowSet.read(Cursor(bitmap), 12).positions() == [3, 11]
    with pytest.raises(ValueError, match="beyond the 11"):
        RowSet.read(Cursor(bitmap), 11)


def test_hashes() -> None:
    """Hashes equal the test vectors of xxHash and the values of Java's ``FastHash``."""
    assert xxhash64(b"") == 0xEF46DB3751D8E999
    assert xxhash64(b"a") == 0xD24EC4F1A98C6E5B
    assert xxhash64(b"abc") == 0x44BC2CF5AD770999
    assert xxhash64(b"Nobody inspects the spammish repetition") == 0xFBCEA83C8A378BF1
    assert wang64(0) == 0
    assert len({wang64(number) for number in range(-1000, 1000)}) == 2000
