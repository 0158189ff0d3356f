"""Expiry compared with Java: both leave the same files of the same table, and Java continues with ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from shutil import copytree
from time import sleep, time
from typing import Any

import pyarrow as pa
import pytest

from tests.interop.lives import TABLE, our_table
from tests.interop.rows import assert_same_rows, from_arrow

pytestmark = pytest.mark.java
COLUMNS = {"p": "INT NOT NULL", "id": "BIGINT NOT NULL", "v": "STRING"}
KINDS: dict[str, tuple[list[str], dict[str, str]]] = {
    "key": (["p", "id"], {"bucket": "2"}),
    "changelog": (["p", "id"], {"bucket": "1", "changelog-producer": "input"}),
    "vectors": (["p", "id"], {"bucket": "1", "deletion-vectors.enabled": "true"}),
    "lookup": (["p", "id"], {"bucket": "1", "changelog-producer": "lookup"}),
    "append": ([], {}),
    "indexed": ([], {"file-index.bloom-filter.columns": "id", "file-index.in-manifest-threshold": "1 b"}),
}
KEPT = ((1, None), (3, None), (2, 6))


def data(number: int) -> pa.Table:
    ids = range(number * 5, number * 5 + 10)
    partitions = pa.array([each % 2 for each in ids], pa.int32())
    return pa.table({"p": partitions, "id": pa.array(ids, pa.int64()), "v": [f"{number}-{each}" for each in ids]})


def make(java: Any, warehouse: Path, kind: str) -> Any:
    keys, options = KINDS[kind]
    never = {"snapshot.num-retained.min": "100", "snapshot.num-retained.max": "100"}
    java.create(warehouse, TABLE, COLUMNS, keys, ["p"], {**options, **never})
    for number in range(8):
        java.write(warehouse, TABLE, data(number))
        if number in (3, 6) and keys:
            java.compact(warehouse, TABLE)
    return our_table(warehouse)


def cases() -> list[Any]:
    """Return all cases; each run checks every fifth."""
    result = enumerate(product(KINDS, KEPT))
    return [pytest.param(*case, marks=() if number % 5 == 2 else pytest.mark.long) for number, case in result]


def files(warehouse: Path) -> dict[str, Any]:
    """Every file, and the content of hints and changelogs."""
    root = Path(warehouse, "db.db", "t")
    actual_files = (path for path in root.rglob("*") if path.is_file() and not path.name.endswith(".crc"))
    reported = ("EARLIEST", "LATEST", "changelog-")
    return {
        str(path.relative_to(root)): json.loads(path.read_text())
        if path.parent.name in ("snapshot", "changelog") and path.name.startswith(reported)
        else None
        for path in actual_files
    }


def expire(warehouse: Path, retain: int, changelogs: int | None) -> Any:
    table = our_table(warehouse)
    if changelogs is not None:
        kept = {"changelog.num-retained.max": str(changelogs), "changelog.num-retained.min": str(changelogs)}
        table = table.with_store(table.store.with_schema(replace(table.schema, options={**table.options, **kept})))
    sleep(0.005)
    return table.expire_snapshots(retain, retain, older_than=int(time() * 1000))


@pytest.mark.parametrize(("kind", "kept"), cases())
def test_the_same_files_are_left(
    kind: str, kept: tuple[int, int | None], referee: Callable[[str], Any], tmp_path: Path
) -> None:
    java = referee("java-2.0.0")
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    table = make(java, ours, kind)
    newest = table.snapshot().id
    table.create_tag("early", 2)
    table.create_tag("middle", 5)
    table.create_tag("late", newest)
    table.set_consumer("job", newest - 1)
    expected = java.read(ours, TABLE)
    copytree(ours, theirs)
    for retain, changelogs in ((5, kept[1]), kept):
        expired = java.expire(theirs, TABLE, retain, changelogs)
        assert len(expire(ours, retain, changelogs).snapshots) == expired > 0
        assert files(ours) == files(theirs)
    for tag in ("early", "middle", "late"):
        options = {"scan.tag-name": tag}
        assert_same_rows(from_arrow(our_table(ours).at(tag=tag).to_arrow()), java.read(ours, TABLE, options=options))
    assert_same_rows(java.read(ours, TABLE), expected)
    orphans = our_table(ours).remove_orphan_files(int(time() * 1000), dry_run=False)
    java.write(ours, TABLE, data(50))
    java.compact(ours, TABLE)
    assert_same_rows(from_arrow(our_table(ours).to_arrow()), java.read(ours, TABLE))
    java.expire(ours, TABLE, 1)
    assert len(java.read(ours, TABLE)) > len(expected)
    assert orphans.files == ()
