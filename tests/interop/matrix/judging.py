"""Compares our answers to the questions of the matrix with those of the maker."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import workbench as wb
from tests.interop.matrix.feature import ROWS, Feature, Question
from tests.interop.matrix.fitting import ADDED
from tests.interop.matrix.makers import Maker
from tests.interop.referees import RefereeError
from tests.interop.rows import Rows, assert_same_rows, from_arrow
from workbench.scan import section_reader as sections

VERSION_ARGUMENTS = {
    "scan.snapshot-id": ("snapshot", int),
    "scan.tag-name": ("tag", str),
    "scan.timestamp-millis": ("timestamp", int),
    "scan.watermark": ("watermark", int),
    "scan.version": ("version", str),
}
# Java shows addresses, lists from hash tables, and schemes of paths, which differ from run to run.
ADDRESS = re.compile(r"\[B@[0-9a-f]+|0x[0-9a-f]*")


def judge(feature: Feature, maker: Maker, warehouse: Path, table: str, patch: pytest.MonkeyPatch) -> str:
    """Compare all answers of the maker with ours; return ``same``, or ``refused: <our message>`` if the feature allows
    that.

    Raises:
        AssertionError: we differ, or refuse what we must read.
    """
    outcome = "same"
    versions = _versions(feature, warehouse, table) if maker.quick else ()
    for question in [*feature.questions, *versions]:
        selected = _resolved(question, warehouse, table)
        try:
            expected = maker.read(warehouse, table, selected)
        except RefereeError as error:
            if not feature.fails:
                raise
            _both_fail(warehouse, table, selected, error)
            continue
        try:
            ours = _selected(warehouse, table, selected)
            _compare(feature, maker, ours, selected, expected, patch)
        except wb.Unsupported as refusal:
            if not feature.refused or not re.search(feature.refused, str(refusal)):
                raise
            outcome = f"refused: {refusal}"
        except Exception as failure:
            raise AssertionError(f"{selected}: {type(failure).__name__} {failure}") from failure
    return outcome


def _versions(feature: Feature, warehouse: Path, table: str) -> Iterator[Question]:
    if feature.every_version and ROWS in feature.questions:
        for snapshot in wb.connect(str(warehouse)).get_table(table).snapshots()[:-1]:
            yield Question(version={"scan.snapshot-id": str(snapshot.id)})


def _both_fail(warehouse: Path, table: str, question: Question, error: RefereeError) -> None:
    with pytest.raises(wb.WorkbenchError):
        pytest.fail(f"{question}: the maker says {error}, we {_selected(warehouse, table, question).to_arrow()}")


def _resolved(question: Question, warehouse: Path, table: str) -> Question:
    """Return the question with the time of snapshot n in milliseconds for ``@n``, and with the id of the n-th newest
    snapshot for ``-n``; times that are ends of changes keep their ``@``."""

    def time_of(text: str) -> str:
        return str(wb.connect(str(warehouse)).get_table(table).snapshot(int(text[1:])).time_millis)

    def id_of(text: str) -> str:
        return str(wb.connect(str(warehouse)).get_table(table).snapshot().id + 1 + int(text))

    version = {key: time_of(value) if value.startswith("@") else value for key, value in question.version.items()}
    if question.changes is None:
        return replace(question, version=version)
    start, end, mode = question.changes
    if start.startswith("@"):
        return replace(question, changes=(f"@{time_of(start)}", f"@{time_of(end)}", mode))
    if start.startswith("-"):
        return replace(question, changes=(id_of(start), id_of(end), mode))
    return question


def _selected(warehouse: Path, table: str, question: Question) -> Any:
    """Return the table of our library that the question reads."""
    result: Any = wb.connect(str(warehouse)).open(question.of_catalog or table + question.suffix)
    for key, value in question.version.items():
        argument, kind = VERSION_ARGUMENTS[key]
        result = result.at(**{argument: kind(value)})
    return result


def _compare(
    feature: Feature, maker: Maker, table: Any, question: Question, expected: Rows, patch: pytest.MonkeyPatch
) -> None:
    if question.changes:
        start, end, mode = question.changes
        rows = table.changes(_our_end(start), _our_end(end), mode=mode)
        if mode == "diff" or (mode == "auto" and not start.isdigit() and not start.startswith("@")):
            _leads(table, rows, start, end)
            # Java also returns deletes of keys that did not exist, and no rows as they were before a change.
            rows, expected = rows.filter(pc.is_in(rows["rowkind"], pa.array(ADDED))), _added(expected)
            rows = rows.set_column(0, "rowkind", pa.array(["+I"] * len(rows)))
        same_rows(feature, rows, expected)
        return
    rows = table.to_arrow()
    rows.validate()
    if question.suffix and not maker.exact_columns:
        common = [name for name in expected.columns if name in rows.column_names]
        rows, expected = rows.select(common), _chosen(expected, common)
    same_rows(feature, rows, expected)
    if question != ROWS:
        return
    with patch.context() as small:
        small.setattr(sections, "_SLICE_ROWS", 1)
        small.setattr(sections, "_MIN_BATCH_ROWS", 1)
        same_rows(feature, table.to_batches().read_all(), expected)
    for name in expected.columns:
        same_rows(feature, table.to_arrow(columns=[name]), _chosen(expected, [name]))
    _filters_agree(table, rows)


def _our_end(text: str) -> int | str | datetime:
    """Return one end of changes as our library accepts it: an id, a tag's name, or a time."""
    if text.startswith("@"):
        return datetime.fromtimestamp(int(text[1:]) / 1000, UTC)
    return int(text) if text.isdigit() else text


def _added(rows: Rows) -> Rows:
    """Return the added and updated rows of changes, all with kind +I."""
    return Rows(rows.columns, tuple(("+I", *row[1:]) for row in rows.rows if row[0] in ADDED))


def _leads(table: Any, changes: pa.Table, start: str, end: str) -> None:
    """Assert that the changes lead from one version to the other."""
    before, after = (Counter(from_arrow(table.at(version=each).to_arrow()).rows) for each in (start, end))
    for kind, *row in from_arrow(changes).rows:
        before[tuple(row)] += 1 if kind in ADDED else -1
    assert +before == after
    assert min(before.values(), default=0) >= 0


def same_rows(feature: Feature, result: pa.Table, expected: Rows) -> None:
    """Assert that our rows are the expected ones in any order, except for what the feature allows to differ."""
    assert_same_rows(_comparable(feature, from_arrow(result), result), _comparable(feature, expected, result))


def _chosen(rows: Rows, columns: list[str]) -> Rows:
    positions = [rows.columns.index(name) for name in columns]
    return Rows(tuple(columns), tuple(tuple(row[position] for position in positions) for row in rows.rows))


def _comparable(feature: Feature, rows: Rows, result: pa.Table) -> Rows:
    """Return rows with sorted maps, and with columns in the comparable form that the feature defines."""
    types = {name: result.schema.field(name).type for name in rows.columns if name in result.column_names}

    def plain(name: str, value: Any) -> Any:
        if value is None or name not in types:
            return value
        if name in feature.plain:
            return feature.plain[name](value)
        value = _ordered(value, types[name])
        if name in feature.unordered:
            return tuple(sorted(value, key=repr))
        return ADDRESS.sub("bytes", value.removeprefix("file:")) if isinstance(value, str) else value

    return Rows(
        rows.columns,
        tuple(tuple(plain(*each) for each in zip(rows.columns, row, strict=True)) for row in rows.rows),
    )


def _ordered(value: Any, kind: pa.DataType) -> Any:
    """The value with its maps as sorted pairs, at every depth."""
    if value is None:
        return None
    if pa.types.is_map(kind):
        pairs = ((_ordered(key, kind.key_type), _ordered(item, kind.item_type)) for key, item in value)
        return tuple(sorted(pairs, key=repr))
    if pa.types.is_list(kind):
        return tuple(_ordered(item, kind.value_type) for item in value)
    if pa.types.is_struct(kind) and isinstance(value, tuple):
        return tuple(_ordered(item, kind[position].type) for position, item in enumerate(value))
    return value


def _filters_agree(table: Any, result: pa.Table) -> None:
    """Check filters on every plain column, for a value and for null, against the rows already compared."""
    for name in result.column_names:
        column = result[name]
        if pa.types.is_nested(column.type) or not len(column):
            continue
        texts = from_arrow(result.select([name])).rows
        for row in (len(column) // 2, len(column) - 1):
            scalar = column[row]
            if not scalar.is_valid or not _has_python_form(scalar):
                continue
            kept = result.filter(pa.array([text == texts[row] for text in texts]))
            selected = table.to_arrow(where=wb.col(name) == scalar.as_py())
            assert_same_rows(from_arrow(selected), from_arrow(kept))
        selected = table.to_arrow(where=wb.col(name).is_null())
        assert_same_rows(from_arrow(selected), from_arrow(result.filter(column.is_null())))


def _has_python_form(scalar: pa.Scalar) -> bool:
    """Return whether Python represents the value as statistics do: Python has no nanoseconds, -0.0 equals 0.0, a CHAR
    of blanks becomes empty in ORC, and sums may exceed the precision of their decimal."""
    if pa.types.is_timestamp(scalar.type):
        return scalar.type.unit != "ns"
    value = scalar.as_py()
    if value == "" or (isinstance(value, Decimal) and len(value.as_tuple().digits) > scalar.type.precision):
        return False
    return not isinstance(value, float) or (math.isfinite(value) and value != 0)
