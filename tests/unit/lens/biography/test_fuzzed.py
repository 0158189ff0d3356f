"""The biographies of rows of random tables of every kind: the explained row is the one that a read returns, and every
stored version is one that the files contain."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from tests.fuzz.kinds import KEYS, KINDS, PARTITIONS, Kind, create
from tests.fuzz.operations import Operations
from tests.support.biography_counter import Found, count
from workbench.catalog.connect import connect
from workbench.lens.biography.collect import collect_biography
from workbench.lens.biography.value import BiographyValue

KEYED = [kind for kind in KINDS if kind.keyed]
_STEPS = 14


def explained(value: BiographyValue) -> list[str | None]:
    return [each.value for each in value.fields]


def texts(row: dict[str, object]) -> list[str | None]:
    return [None if each is None else str(each) for each in row.values()]


_QUICK = ("partial-update-removing", "aggregation-lookup")


@pytest.mark.parametrize("kind", [kind for kind in KEYED if kind.name in _QUICK], ids=str)
def test_some_explained_rows_are_those_that_a_read_returns(kind: Kind, tmp_path: Path) -> None:
    check_rows(kind, tmp_path, list(KEYS)[:5])


@pytest.mark.long
@pytest.mark.parametrize("kind", KEYED, ids=str)
def test_every_explained_row_is_the_one_that_a_read_returns(kind: Kind, tmp_path: Path) -> None:
    check_rows(kind, tmp_path, list(KEYS))


def check_rows(kind: Kind, tmp_path: Path, wanted: list[int]) -> None:
    chance = random.Random(kind.name)
    table = create(connect(tmp_path / "warehouse"), kind, chance)
    operations = Operations(kind, bool(table.partition_keys))
    for step in range(_STEPS):
        operation = operations.any(chance, wanted, 0.6)
        with suppress(*operation.conflicts):
            operation.run(table)
        if step == 8 and table.version is not None:
            table.create_tag("kept")
    assert table.version is not None
    location = Path(table.location)
    keys = [{"k": key} if kind.crosses else {"p": p, "k": key} for p in PARTITIONS for key in wanted]
    seen = 0
    for key in keys:
        where = " AND ".join(f"{name} = {each!r}" for name, each in key.items())
        rows = table.to_arrow(where=where).to_pylist()
        value = collect_biography(table, key)
        assert value.agrees, (key, value)
        assert value.complete
        assert (value.state == "present") == bool(rows), (key, value.summary)
        assert explained(value) == (texts(rows[0]) if rows else [None] * 4), (key, value)
        stored = {
            Found(each.file, each.position, each.kind, each.sequence or 0, each.commit) for each in value.versions
        }
        assert stored == count(location, key), key
        check_descent(value)
        seen += len(value.versions)
    assert seen > 0


def check_descent(value: BiographyValue) -> None:
    """Check that the origins of each value exist, and that the inputs of each version are consumed by its commit."""
    by_id = {each.id: each for each in value.versions}
    for each in value.versions:
        assert all(each.id in by_id[number].into for number in each.inputs)
        assert all(number < each.id for number in each.inputs)
        assert all(by_id[number].stays[-1].until == each.commit for number in each.inputs)
    for field in value.fields:
        assert set(field.origins) <= by_id.keys()
        if field.winner is not None and field.value is not None:
            position = [each.name for each in value.fields].index(field.name)
            assert by_id[field.winner].values[position] == field.value
            assert by_id[field.winner].state == "read"
        if field.winner is not None and len(field.origins) == 1:
            position = [each.name for each in value.fields].index(field.name)
            assert by_id[field.origins[0]].values[position] == field.value
