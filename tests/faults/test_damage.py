"""Every kind of file that a table may have, cut, changed, emptied, removed: the right rows, or an error that names it.

Not all damage can be detected. Deletion vectors, Avro in Snappy and Parquet pages with checksums detect every change of
their bytes. JSON, ORC, Avro in other codecs and Parquet pages of writers without checksums do not: a changed byte of a
number is another number. For these the test only requires that no foreign error is raised and that the process
survives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.damage import CORRUPT, OTHER, REFUSED, SAME, UNSUPPORTED, Damage, Worker, damages, surprises
from tests.faults.golden import CODECS, unpack

TOLD = frozenset({SAME, CORRUPT, UNSUPPORTED})
ANY_OF_OURS = TOLD | {OTHER, REFUSED}
KEYED = ("keyed_parquet", "keyed_orc", "keyed_avro")


@dataclass(frozen=True)
class Kind:
    """Files of one kind. ``checked``: every changed byte is detected. ``removed``, ``cut`` and ``whole``: the outcomes
    that are allowed if a file is removed, cut, or replaced as a whole."""

    pattern: str
    looks: tuple[str, ...]
    tables: tuple[str, ...] = KEYED
    checked: bool = False
    removed: frozenset[str] = frozenset({CORRUPT})
    cut: frozenset[str] = frozenset({SAME, CORRUPT})
    whole: frozenset[str] = frozenset({SAME, CORRUPT})

    def allowed(self, damage: Damage) -> frozenset[str]:
        if damage.operator == "removed":
            return self.removed
        if damage.operator == "flip":
            return TOLD if self.checked else ANY_OF_OURS
        if damage.operator == "directory":
            return self.removed | self.whole
        return self.cut if damage.operator == "cut" else self.whole


ROWS = ("rows", "stream", "where", "equal")
GONE = frozenset({SAME, OTHER, REFUSED})
KINDS = {
    "schema": Kind("schema/schema-*", ("rows", "$schemas"), removed=frozenset({CORRUPT, REFUSED})),
    # If the newest snapshot is missing, the one before it is the newest.
    "snapshot": Kind("snapshot/snapshot-*", ("rows", "version", "snapshots", "$snapshots"), removed=GONE),
    "hint": Kind("snapshot/*EST", ("rows", "snapshots"), removed=frozenset({SAME})),
    "manifest list": Kind(
        "manifest/manifest-list-*", ("rows", "version", "$manifests"), removed=frozenset({SAME, CORRUPT})
    ),
    "manifest": Kind("manifest/manifest-[!l]*", ("rows", "version", "$files"), removed=frozenset({SAME, CORRUPT})),
    "index manifest": Kind("manifest/index-manifest-*", ("rows", "version"), removed=frozenset({SAME, CORRUPT})),
    "deletion vectors": Kind("index/index-*", (*ROWS, "version"), checked=True, removed=frozenset({SAME, CORRUPT})),
    "file index": Kind("*/bucket-0/*.index", ("rows", "equal"), removed=frozenset({SAME, CORRUPT})),
    "tag": Kind("tag/tag-*", ("tag", "$tags"), removed=GONE),
    "branch schema": Kind("branch/branch-b1/schema/schema-0", ("branch",), removed=frozenset({CORRUPT, REFUSED})),
    "branch snapshot": Kind("branch/branch-b1/snapshot/snapshot-*", ("branch",), removed=GONE),
    "consumer": Kind("consumer/consumer-*", ("consumers", "$consumers"), removed=GONE),
    "statistics": Kind("statistics/stat-*", ("rows", "$statistics"), removed=frozenset({SAME, CORRUPT})),
    "data file of a key": Kind(
        "*/bucket-0/data-*[!x]", (*ROWS, "version", "difference"), removed=frozenset({SAME, CORRUPT})
    ),
    "changelog": Kind("changelog/changelog-*", ("changelog",), removed=GONE | {CORRUPT}),
    "changelog file": Kind("*/bucket-0/changelog-*", ("changelog",), removed=frozenset({SAME, CORRUPT})),
    "row groups": Kind("bucket-0/data-*", ("rows", "stream"), ("append_row_groups",), checked=True),
    # No checksum covers the bounds in a footer.
    "chosen row groups": Kind("bucket-0/data-*", ("where", "equal"), ("append_row_groups",)),
    **{
        f"{file_format} {codec}": Kind(
            "bucket-0/data-*", ROWS, (f"append_{file_format}_{codec}",), file_format == "parquet"
        )
        for file_format, codecs in CODECS.items()
        for codec in codecs
    },
}


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(tmp_path_factory.mktemp("golden"))


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    one = Worker()
    yield one
    one.close()


def check(warehouse: Path, worker: Worker, name: str, tables: Sequence[str], files: int, cuts: int, flips: int) -> None:
    kind = KINDS[name]
    cases = []
    for table in tables:
        home = warehouse / "db.db" / table
        actual_files = sorted(path for path in home.glob(kind.pattern) if path.stat().st_size)
        assert actual_files, f"{table} has no {name}"
        for path in actual_files[-files:]:
            cases.extend(
                (damage, kind.allowed(damage)) for damage in damages(table, path, home, kind.looks, cuts, flips)
            )
    wrong = surprises(worker, cases)
    assert not wrong, "\n".join(wrong[:20]) + f"\n{len(wrong)} of {len(cases)} damages"


@pytest.mark.parametrize("name", KINDS)
def test_damage(warehouse: Path, worker: Worker, name: str) -> None:
    tables = KINDS[name].tables
    chosen = tables[list(KINDS).index(name) % len(tables)]
    check(warehouse, worker, name, [chosen], files=1, cuts=1, flips=2)


@pytest.mark.long
@pytest.mark.parametrize("name", KINDS)
def test_much_damage(warehouse: Path, worker: Worker, name: str) -> None:
    tables = KINDS[name].tables
    check(warehouse, worker, name, tables, files=2, cuts=12, flips=60 if len(tables) > 1 else 300)
