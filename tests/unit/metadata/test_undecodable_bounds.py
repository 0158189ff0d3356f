"""Statistics, keys and partitions with text that is not UTF-8, which Java stores and decodes with replacement
characters: none of them is decoded with an error, and files are not left out because of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import workbench as wb
from workbench.base.errors import CorruptFile

_OPTIONS = {"file.format": "orc", "file.compression": "none", "manifest.compression": "null"}
_SHAPES: dict[str, tuple[list[str], list[str]]] = {"append": ([], []), "keys": (["s"], []), "partitions": ([], ["s"])}


@pytest.fixture(params=list(_SHAPES))
def catalog(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """A catalog with a table in which some bytes of its text were replaced after it was written."""
    keys, parts = _SHAPES[request.param]
    written = wb.connect(str(tmp_path))
    written.create_database("db")
    made = written.create_table(
        "db.t", {"s": "STRING", "n": "INT"}, keys, parts, options={**_OPTIONS, "bucket": "1" if keys else "-1"}
    )
    for texts in (["zqzq", "b"], ["c", "d"]):
        made.write([{"s": text, "n": number} for number, text in enumerate(texts)])
    for path in sorted(tmp_path.rglob("*"), reverse=True):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"zqzq", b"z\xffzq"))
        elif path.name == "s=zqzq":
            path.rename(path.with_name("s=z\ufffdzq"))
    return wb.connect(str(tmp_path))


@pytest.fixture
def table(catalog: Any) -> Any:
    return catalog.get_table("db.t")


def _numbers(table: Any, where: str) -> list[int]:
    return sorted(table.to_arrow(columns=["n"], where=where).column("n").to_pylist())


def test_files_with_an_unknown_bound_are_read(table: Any) -> None:
    # The text of a data file is not decoded with replacement characters.
    with pytest.raises(CorruptFile, match="Invalid UTF8"):
        table.to_arrow(where="s > 'z'")
    if not table.primary_key:
        assert _numbers(table, "n < 5") == [0, 0, 1, 1]
    if not table.partition_keys:
        # The replacement character sorts before these bytes, and as a bound it would exclude the file.
        with pytest.raises(CorruptFile, match="Invalid UTF8"):
            table.to_arrow(where="s > 'z\U0001f600'")


@pytest.mark.parametrize("name", ["files", "partitions", "manifests", "buckets", "file_key_ranges"])
def test_system_tables_show_replacement_characters(catalog: Any, table: Any, name: str) -> None:
    rows = catalog.open(f"db.t${name}").to_arrow().to_pylist()
    assert rows
    shown = {"files": True, "partitions": bool(table.partition_keys), "file_key_ranges": bool(table.primary_key)}
    assert ("z\ufffdzq" in str(rows)) >= shown.get(name, False)


@pytest.mark.parametrize("view", [wb.levels, wb.health, wb.timeline])
def test_views_are_shown(table: Any, view: Callable[[Any], Any]) -> None:
    assert "Error" not in repr(view(table))
    assert "Cannot read" not in repr(view(table))
