"""Biographies of rows of the tables that Java made: the explained row is the one that a read returns, and every stored
version is one that the files contain."""

from __future__ import annotations

import random
import tarfile
from pathlib import Path

import pytest

import workbench as wb
from tests.golden.stored import archive
from tests.support.biography_counter import retained_files
from workbench.lens.biography.collect import collect_biography

_KEYS = 2


@pytest.mark.parametrize("maker", ["java-2.0.0", pytest.param("spark-0.9", marks=pytest.mark.long)])
def test_rows_of_golden_tables(maker: str, tmp_path: Path) -> None:
    with tarfile.open(archive(maker)) as packed:
        packed.extractall(tmp_path, filter="data")
    checked = 0
    for schemas in sorted(tmp_path.glob("*/*.db/*/schema")):
        name = f"{schemas.parent.parent.name.removesuffix('.db')}.{schemas.parent.name}"
        table = wb.connect(schemas.parent.parent.parent).get_table(name)
        if not table.primary_key:
            continue
        rows = table.to_arrow(table.primary_key).to_pylist()
        for key in random.Random(name).sample(rows, min(_KEYS, len(rows))):
            value = collect_biography(table, key)
            assert value.agrees, (name, key)
            assert value.state == "present", (name, key)
            files = retained_files(schemas.parent)
            assert {each.file: each.commit for each in value.versions}.items() <= files.items(), (name, key)
            checked += 1
    assert checked > 20
