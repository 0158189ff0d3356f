"""Objects whose fields are decoded on first use behave like others."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from typing import Any

import pytest

from workbench.format.spec.data_file import EMPTY_STATS, DataFileMeta, SimpleStats
from workbench.format.spec.lazy_fields import LazyColumns, make

FILES = [
    DataFileMeta(f"data-{place}", place, 3, b"a", b"z", EMPTY_STATS, SimpleStats(b"c", b"d", None), 0, 9, 0, place)
    for place in range(3)
]


def late_files(requested: list[str]) -> list[DataFileMeta]:
    """Return FILES with fields decoded on first use; ``requested`` receives the names of the decoded columns."""

    def column(name: str) -> Sequence[Any]:
        requested.append(name)
        return [getattr(file, name) for file in FILES]

    names = [field.name for field in fields(DataFileMeta)]
    columns = LazyColumns({name: lambda name=name: column(name) for name in names[2:]}, {})  # type: ignore[misc]
    now = {name: [getattr(file, name) for file in FILES] for name in names[:2]}
    return make(DataFileMeta, len(FILES), now, columns)


@pytest.mark.parametrize(
    "use",
    [
        lambda file: file,
        hash,
        repr,
        asdict,
        copy.copy,
        copy.deepcopy,
        lambda file: file.upgrade(5),
        lambda file: replace(file, file_name="other"),
        lambda file: pickle.loads(pickle.dumps(file)),
    ],
)
def test_lazy_objects_behave_like_others(use: Any) -> None:
    assert [use(file) for file in late_files([])] == [use(file) for file in FILES]


def test_a_column_is_decoded_once_and_on_demand() -> None:
    requested: list[str] = []
    files = late_files(requested)
    assert [file.file_size for file in files] == [0, 1, 2]
    assert requested == []
    assert [file.level for file in (*files, *files)] == [0, 1, 2, 0, 1, 2]
    assert requested == ["level"]


@pytest.mark.parametrize("file", [FILES[0], late_files([])[0], object.__new__(DataFileMeta)])
def test_there_are_no_other_attributes(file: DataFileMeta) -> None:
    with pytest.raises(AttributeError, match="'DataFileMeta' object has no attribute 'levels'"):
        file.levels  # type: ignore[attr-defined]  # noqa: B018


def test_a_partially_created_object_raises() -> None:
    with pytest.raises(AttributeError, match="_columns"):
        object.__new__(DataFileMeta).level  # noqa: B018
