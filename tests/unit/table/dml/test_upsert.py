from __future__ import annotations

from typing import Any

import pytest

from workbench.base.errors import MergeError, Unsupported
from workbench.catalog.connect import connect


@pytest.fixture
def catalog(tmp_path: Any) -> Any:
    opened = connect(str(tmp_path))
    opened.create_database("shop")
    return opened


def rows_of(table: Any) -> set[tuple[Any, ...]]:
    return {tuple(row.values()) for row in table.to_arrow().to_pylist()}


def test_rows_replace_those_with_their_key(catalog: Any) -> None:
    table = catalog.create_table(
        "shop.t", {"k": "INT", "v": "STRING", "day": "STRING"}, partition_by=["day"], options={"upsert-key": "k"}
    )
    table.write([{"k": 1, "v": "a", "day": "mon"}, {"k": None, "v": "b", "day": "mon"}])
    table.write(
        [{"k": 1, "v": "c", "day": "tue"}, {"k": None, "v": "d", "day": "mon"}, {"k": 2, "v": "e", "day": "mon"}]
    )
    assert rows_of(table) == {(1, "c", "tue"), (None, "d", "mon"), (2, "e", "mon")}
    assert [str(each.operation) for each in table.snapshots()] == ["MERGE", "MERGE"]
    table.write([{"k": 9, "v": "z", "day": "mon"}], mode="overwrite")
    assert rows_of(table) == {(1, "c", "tue"), (9, "z", "mon")}
    with pytest.raises(MergeError):
        table.write([{"k": 9, "v": "x", "day": "mon"}, {"k": 9, "v": "y", "day": "mon"}])
    with pytest.raises(Unsupported, match="upsert-key"), table.writer():
        pass


@pytest.mark.parametrize(
    ("order", "kept"), [("ascending", {(1, 3, "c"), (None, 7, "n")}), ("descending", {(1, 1, "a"), (None, 5, "m")})]
)
def test_the_newest_row_counts(catalog: Any, order: str, kept: set[tuple[Any, ...]]) -> None:
    options = {"upsert-key": "k", "sequence.field": "ts", "sequence.field.sort-order": order}
    table = catalog.create_table("shop.t", {"k": "INT", "ts": "INT", "v": "STRING"}, options=options)
    table.write([{"k": 1, "ts": ts, "v": v} for ts, v in ((2, "b"), (1, "a"), (None, "x"))])
    table.write([{"k": 1, "ts": 3, "v": "c"}, {"k": None, "ts": 5, "v": "m"}, {"k": None, "ts": 7, "v": "n"}])
    assert rows_of(table) == kept


_SMALLER_FIRST = [(None, None), (None, 1), (None, 2), (1, None), (1, 1), (1, 2), (2, None), (2, 1)]


@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_sequences_of_two_columns_are_compared_as_tuples(catalog: Any, order: str) -> None:
    options = {"upsert-key": "k", "sequence.field": "a,b`c", "sequence.field.sort-order": order}
    columns = {"k": "INT", "a": "INT", "b`c": "INT", "v": "STRING"}
    table = catalog.create_table("shop.t", columns, options=options)
    ranked = _SMALLER_FIRST
    if order == "descending":
        # The smaller value is newer, but NULL is older than every value.
        ranked = sorted(ranked, key=lambda pair: [(0, 0) if each is None else (1, -each) for each in pair])
    pairs = [(stored, new) for stored in range(len(ranked)) for new in range(len(ranked))]

    def rows(of: int, text: str) -> list[dict[str, Any]]:
        return [
            {"k": key, "a": ranked[pair[of]][0], "b`c": ranked[pair[of]][1], "v": text}
            for key, pair in enumerate(pairs)
        ]

    table.write(rows(0, "stored"))
    table.write(rows(1, "new"))
    kept = {key: v for key, _, _, v in rows_of(table)}
    assert kept == {key: "new" if new >= stored else "stored" for key, (stored, new) in enumerate(pairs)}


@pytest.mark.parametrize("stored", [None, 0])
def test_a_stored_null_sequence_is_replaced(catalog: Any, stored: int | None) -> None:
    options = {"upsert-key": "k", "sequence.field": "ts"}
    table = catalog.create_table("shop.t", {"k": "INT", "ts": "INT", "v": "STRING"}, options=options)
    table.write([{"k": 1, "ts": stored, "v": "a"}])
    table.write([{"k": 1, "ts": 1, "v": "b"}])
    table.write([{"k": 1, "ts": None, "v": "c"}])
    assert rows_of(table) == {(1, 1, "b")}
