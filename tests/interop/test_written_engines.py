"""Rows of equal key in one commit: the result of our write buffer, compared with that of Java for the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import workbench as wb
from tests.interop.engine_cases import ADDS, CASES, OVERFLOWING, EngineCase, aggregation
from tests.interop.incremental_cases import with_kinds
from tests.interop.matrix.rows_of_engines import plain_forms
from tests.interop.rows import Rows, assert_same_rows, from_arrow
from tests.support.sampling import sampled
from workbench.base.errors import MergeError
from workbench.table.table import Table

pytestmark = pytest.mark.java
OURS, THEIRS = "db.ours", "db.theirs"
PIECES = 3
SPILLING = {"write-buffer-size": "1 b"}
TAKEN = [case for case in CASES if not case.refused]
REFUSED = [case for case in CASES if case.refused]
TOLD = ("deduplicate", "deduplicate-sequence", "deduplicate-rowkind", "deduplicate-ignore-update-before")
TOLD = (*TOLD, "partial-update-groups", "partial-update-sequence", "aggregation-sum")
FROM_ZERO = {"incremental-between-scan-mode": "changelog"}


def pieces(case: EngineCase, commit: int) -> list[tuple[pa.Table, tuple[str, ...]]]:
    """Return the rows of one commit in several pieces that have keys in common."""
    return [case.commit(100 + PIECES * commit + piece) for piece in range(PIECES)]


def create(
    java: Any, warehouse: Path, case: EngineCase, more: Mapping[str, str], ours: Mapping[str, str] = SPILLING
) -> Table:
    """Create both tables, and return ours; ``ours`` are the options that only our table has."""
    partition = ["part"] if case.partitioned else []
    options = {"bucket": "1", **case.options, "write-only": "true", **more}
    for name, own in ((OURS, ours), (THEIRS, {})):
        java.create(warehouse, name, case.json_columns, case.primary_key, partition, {**options, **own})
    return wb.connect(str(warehouse)).get_table(OURS)


def write_ours(table: Table, case: EngineCase, commit: int) -> None:
    tells = "rowkind.field" in case.options
    with table.writer() as writer:
        for rows, kinds in pieces(case, commit):
            writer.write(rows if tells else rows.append_column("kind", pa.array(kinds)), None if tells else "kind")
        table.commit(writer.prepare())


def write_theirs(java: Any, warehouse: Path, case: EngineCase, commit: int, name: str = THEIRS) -> None:
    parts = pieces(case, commit)
    kinds = [kind for _, each in parts for kind in each]
    java.write(warehouse, name, pa.concat_tables([rows for rows, _ in parts]), kinds)


def comparable(case: EngineCase, rows: Rows) -> Rows:
    """Return rows with maps, sets and unordered lists in a comparable form."""
    forms = plain_forms(case)

    def of(name: str, value: Any) -> Any:
        if value is None:
            return None
        if name in case.unordered or (name in case.columns and pa.types.is_map(case.columns[name].arrow)):
            return tuple(sorted(value, key=repr))
        return forms[name](value) if name in forms else value

    named = [tuple(of(name, value) for name, value in zip(rows.columns, row, strict=True)) for row in rows.rows]
    return Rows(rows.columns, tuple(named))


@pytest.mark.parametrize("case", sampled(TAKEN, 9), ids=str)
def test_both_buffers_merge_in_the_same_way(case: EngineCase, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    table = create(java, tmp_path, case, {})
    for commit in range(2):
        write_ours(table, case, commit)
        write_theirs(java, tmp_path, case, commit)
    hidden = case.options.get("merge-engine") == "first-row"
    if not hidden:
        check_same(case, java, tmp_path, table)
        assert len(table.to_arrow())
    java.compact(tmp_path, THEIRS)
    table.compact(full=True)
    check_same(case, java, tmp_path, table)


def check_same(case: EngineCase, java: Any, warehouse: Path, table: Table) -> None:
    """Check that Java reads the same rows of both tables, and our library of ours."""
    expected = comparable(case, java.read(warehouse, THEIRS))
    assert_same_rows(comparable(case, java.read(warehouse, OURS)), expected)
    assert_same_rows(comparable(case, from_arrow(table.to_arrow())), expected)


@pytest.mark.parametrize("case", sampled(REFUSED, 2), ids=str)
def test_rows_that_java_cannot_merge_are_refused(
    case: EngineCase, referee: Callable[[str], Any], tmp_path: Path
) -> None:
    table = create(referee("java-2.0.0"), tmp_path, case, {})
    with pytest.raises(MergeError):
        write_ours(table, case, 0)
    assert table.snapshots() == []
    assert not list(tmp_path.glob("db.db/ours/bucket-*/*"))


BEYOND = [
    aggregation("sum-beyond", "sum", OVERFLOWING),
    aggregation("product-beyond", "product", OVERFLOWING, kinds=ADDS),
]


@pytest.mark.parametrize("case", BEYOND, ids=str)
def test_decimals_that_overflow_are_read_as_java_reads_them(
    case: EngineCase, referee: Callable[[str], Any], tmp_path: Path
) -> None:
    """We do not store what Java makes of them, but read it before and after a compaction by Java."""
    java = referee("java-2.0.0")
    table = create(java, tmp_path, case, {}, ours={})
    for commit in range(case.commits):
        rows, kinds = case.commit(commit)
        table.write(rows.append_column("kind", pa.array(kinds)), row_kind="kind")
    with pytest.warns(UserWarning, match="overflows DECIMAL"):
        assert_same_rows(from_arrow(table.to_arrow()), java.read(tmp_path, OURS))
    with pytest.raises(MergeError, match="overflows DECIMAL"):
        table.compact(full=True)
    java.compact(tmp_path, OURS)
    assert_same_rows(from_arrow(table.to_arrow()), java.read(tmp_path, OURS))


@pytest.mark.parametrize("case", sampled([case for case in CASES if case.name in TOLD], 3), ids=str)
def test_both_keep_the_same_changelog(case: EngineCase, referee: Callable[[str], Any], tmp_path: Path) -> None:
    java = referee("java-2.0.0")
    table = create(java, tmp_path, case, {"changelog-producer": "input"})
    for commit in range(2):
        write_ours(table, case, commit)
        write_theirs(java, tmp_path, case, commit)
        between = {"incremental-between": f"{commit},{commit + 1}", **FROM_ZERO}
        expected = with_kinds(java.read(tmp_path, THEIRS, options=between))
        assert len(expected) > 20
        assert_same_rows(with_kinds(java.read(tmp_path, OURS, options=between)), expected)
        ours = from_arrow(table.changes(commit, commit + 1, "changelog"))
        assert_same_rows(ours, expected)
        assert ours.rows == expected.rows
    assert streamed(java, tmp_path, OURS) == streamed(java, tmp_path, THEIRS)


def streamed(java: Any, warehouse: Path, name: str) -> list[str]:
    """Return the lines of a Java stream from the first version onward."""
    options = {"scan.mode": "from-snapshot", "scan.snapshot-id": "1"}
    java.ask("follow", warehouse, name, options=options, out=str(java.path("json")))
    lines: list[str] = java.path("json").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 40
    return lines


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("partial-update-groups", {}),
        ("deduplicate-sequence", {"changelog-producer": "input"}),
        ("deduplicate", {"write.sequence-number-init-mode": "snapshot"}),
        ("deduplicate", {"sequence.snapshot-ordering": "true"}),
    ],
)
def test_both_write_in_turns(
    name: str, options: Mapping[str, str], referee: Callable[[str], Any], tmp_path: Path
) -> None:
    """A table written by both equals that of Java alone: each continues the sequence numbers of the other."""
    java = referee("java-2.0.0")
    (case,) = (case for case in CASES if case.name == name)
    table = create(java, tmp_path, case, options, ours={})
    for commit in range(4):
        write_theirs(java, tmp_path, case, commit)
        if commit % 2:
            write_theirs(java, tmp_path, case, commit, OURS)
        else:
            write_ours(table, case, commit)
        check_same(case, java, tmp_path, table)
    if "sequence.snapshot-ordering" in options:
        numbers = ["min_sequence_number", "max_sequence_number", "record_count"]
        expected = java.read(tmp_path, f"{THEIRS}$files", numbers)
        assert_same_rows(java.read(tmp_path, f"{OURS}$files", numbers), expected)
    java.compact(tmp_path, OURS)
    check_same(case, java, tmp_path, table)
