"""Files that are missing, cut or garbled: a read fails with an error that names them, or returns the right rows."""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from workbench.base.errors import CorruptFile, Unsupported, WorkbenchError
from workbench.catalog.connect import connect
from workbench.format.spec import manifest
from workbench.table.table import Table

ROWS = 3000
KINDS = {
    "append": ((), {"bucket": "-1"}),
    "keyed": (("id",), {"bucket": "1", "write-only": "true"}),
}
PIECES = {
    "snapshot": "snapshot/snapshot-[0-9]*",
    "manifest list": "manifest/manifest-list-*",
    "manifest": "manifest/manifest-[!l]*",
    "schema": "schema/schema-0",
    "data file": "bucket-0/data-*.parquet",
}


def make(warehouse: Path, kind: str) -> Table:
    keys, options = KINDS[kind]
    catalog = connect(warehouse)
    catalog.create_database("db")
    table = catalog.create_table("db.t", {"id": "BIGINT NOT NULL", "s": "STRING", "v": "DOUBLE"}, keys, (), options)
    chance = random.Random(5)
    for first in (0, ROWS // 2):
        ids = list(range(first, first + ROWS))
        texts = [None if number % 7 == 0 else f"text {chance.randint(0, 500)}" for number in ids]
        table.write(pa.table({"id": ids, "s": texts, "v": [number / 3 for number in ids]}))
    return table


@pytest.fixture(params=KINDS, scope="module")
def healthy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pa.Table]:
    warehouse = tmp_path_factory.mktemp("healthy") / "wh"
    return warehouse, make(warehouse, request.param).to_arrow().sort_by([("id", "ascending"), ("s", "ascending")])


def fresh_read(warehouse: Path) -> list[pa.Table]:
    """Read as one table and as a stream, without any cached state."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = connect(warehouse).get_table("db.t").to_arrow()
        streamed = connect(warehouse).get_table("db.t").to_batches().read_all()
    return [each.sort_by([("id", "ascending"), ("s", "ascending")]) for each in (whole, streamed)]


def damages(data: bytes, chance: random.Random, flips: int) -> Iterator[tuple[str, bytes]]:
    size = len(data)
    if flips:
        yield from _changed_bytes(data, chance, flips)
        return
    yield "empty", b""
    yield "text", b"this is not the file you are looking for"
    for length in sorted({1, 3, size // 4, size // 2, size - 9, size - 5, size - 1, *chance.choices(range(size), k=4)}):
        yield f"cut to {length} of {size}", data[:length]
    yield "longer", data + b"more"


def _changed_bytes(data: bytes, chance: random.Random, flips: int) -> Iterator[tuple[str, bytes]]:
    size = len(data)
    for _ in range(flips):
        position = chance.randrange(size)
        changed = bytearray(data)
        changed[position] ^= chance.choice([0x01, 0x80, 0xFF, 0x20])
        yield f"byte {position} of {size}", bytes(changed)


@pytest.mark.parametrize("piece", PIECES)
def test_cut(tmp_path: Path, healthy: tuple[Path, pa.Table], piece: str) -> None:
    check_damage(tmp_path, healthy, piece, flips=0)


# JSON has no checksum: a changed letter of a column name is a new name.
BINARY = [
    "manifest list",
    "manifest",
    "data file",
]


@pytest.mark.parametrize("piece", BINARY)
def test_changed_bytes(tmp_path: Path, healthy: tuple[Path, pa.Table], piece: str) -> None:
    check_damage(tmp_path, healthy, piece, flips=15)


@pytest.mark.long
@pytest.mark.parametrize("piece", BINARY)
def test_many_changed_bytes(tmp_path: Path, healthy: tuple[Path, pa.Table], piece: str) -> None:
    check_damage(tmp_path, healthy, piece, flips=600)


def check_damage(tmp_path: Path, healthy: tuple[Path, pa.Table], piece: str, flips: int) -> None:
    start, expected = healthy
    warehouse = tmp_path / "wh"
    shutil.copytree(start, warehouse)
    chance = random.Random(piece)
    table = Path(warehouse, "db.db", "t")
    surprises = []
    for path in sorted(table.glob(PIECES[piece])):
        data = path.read_bytes()
        for what, changed in damages(data, chance, flips):
            path.write_bytes(changed)
            surprise = outcome(warehouse, expected)
            if surprise:
                surprises.append(f"{path.name}: {what}: {surprise}")
        path.write_bytes(data)
    assert not surprises, "\n".join(surprises[:20]) + f"\n{len(surprises)} in all"
    assert all(each.equals(expected) for each in fresh_read(warehouse))


def outcome(warehouse: Path, expected: pa.Table) -> str | None:
    """Return the problem with the outcome for a damaged file; None if the error or the rows are right."""
    try:
        result = fresh_read(warehouse)
    except WorkbenchError as error:
        message = str(error)
        # A changed letter in a manifest may name another file format, or another version of the manifest.
        if isinstance(error, CorruptFile | Unsupported) and "\n" not in message and str(warehouse) in message:
            return None
        return f"{type(error).__name__}: {message[:300]}"
    except Exception as error:  # noqa: BLE001 - the test tells of every other kind
        return f"{type(error).__name__}: {str(error)[:300]}"
    return None if all(each.equals(expected) for each in result) else "wrong rows"


@pytest.mark.parametrize("piece", PIECES)
def test_missing(tmp_path: Path, healthy: tuple[Path, pa.Table], piece: str) -> None:
    shutil.copytree(healthy[0], tmp_path / "wh")
    paths = sorted(Path(tmp_path, "wh", "db.db", "t").glob(PIECES[piece]))
    for path in paths:
        path.unlink()
    with pytest.raises(WorkbenchError) as caught:
        connect(tmp_path / "wh").get_table("db.t").at(snapshot=2).to_arrow()
    if piece not in ("snapshot", "schema"):
        assert isinstance(caught.value, CorruptFile)
        assert any(path.name in str(caught.value) for path in paths)
        assert "missing" in str(caught.value)


def test_expired_between_plan_and_read(tmp_path: Path, healthy: tuple[Path, pa.Table]) -> None:
    shutil.copytree(healthy[0], tmp_path / "wh")
    table = connect(tmp_path / "wh").get_table("db.t")
    scan = table.scan()
    paths = [path for split in scan.plan() for path in split.paths]
    for path in paths:
        Path(path).unlink()
    for read in (scan.to_arrow, lambda: scan.to_batches().read_all()):
        with pytest.raises(CorruptFile, match="missing"):
            read()


@pytest.mark.parametrize("change", ["rows", "keys"])
def test_incorrect_metadata(tmp_path: Path, healthy: tuple[Path, pa.Table], change: str) -> None:
    """A wrong row count in a manifest is reported; wrong key bounds are too, or the rows are right nevertheless."""
    shutil.copytree(healthy[0], tmp_path / "wh")
    path = sorted(Path(tmp_path, "wh", "db.db", "t").glob(PIECES["manifest"]))[0]
    entries = manifest.read_manifest(path.read_bytes(), str(path))
    changed = {"rows": {"row_count": 17}, "keys": {"min_key": b"\0\0", "max_key": b"junk"}}[change]
    lying = [replace(entry, file=replace(entry.file, **changed)) for entry in entries]
    path.write_bytes(manifest.write_manifest(lying, "zstd"))
    surprise = outcome(tmp_path / "wh", healthy[1])
    assert surprise is None
    if change == "rows":
        with pytest.raises(CorruptFile, match="17"):
            fresh_read(tmp_path / "wh")


HINTS: dict[str, Callable[[Path], object]] = {
    "LATEST stale": lambda place: (place / "LATEST").write_text("1"),
    "LATEST garbage": lambda place: (place / "LATEST").write_bytes(b"\xff\x00?"),
    "LATEST empty": lambda place: (place / "LATEST").write_bytes(b""),
    "LATEST too high": lambda place: (place / "LATEST").write_text("99"),
    "LATEST negative": lambda place: (place / "LATEST").write_text("-1"),
    "LATEST missing": lambda place: (place / "LATEST").unlink(),
    "EARLIEST missing": lambda place: (place / "EARLIEST").unlink(missing_ok=True),
    "EARLIEST garbage": lambda place: (place / "EARLIEST").write_bytes(b"x"),
    "EARLIEST too high": lambda place: (place / "EARLIEST").write_text("77"),
    "rubbish beside": lambda place: (place / "snapshot-x").write_text("{}"),
    "half a temporary file": lambda place: (place / ".snapshot-3.abc.tmp").write_text("{"),
}


@pytest.mark.parametrize("damage", HINTS)
def test_hints(tmp_path: Path, healthy: tuple[Path, pa.Table], damage: str) -> None:
    shutil.copytree(healthy[0], tmp_path / "wh")
    HINTS[damage](Path(tmp_path, "wh", "db.db", "t", "snapshot"))
    assert all(each.equals(healthy[1]) for each in fresh_read(tmp_path / "wh"))
    table = connect(tmp_path / "wh").get_table("db.t")
    assert table.snapshot().id == 2
    commit = table.write(pa.table({"id": [-1]}))
    assert commit.snapshots[0].id == 3
    assert [each.id for each in connect(tmp_path / "wh").get_table("db.t").snapshots()] == [1, 2, 3]
    assert table.at(timestamp=commit.snapshots[0].time_millis + 1000).snapshot().id == 3
