from __future__ import annotations

import json
import random
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import workbench as wb
from tests.golden.stored import archive
from workbench.catalog.connect import connect
from workbench.format.spec.snapshot_properties import COMPACTION_PROPERTY
from workbench.table.table import Table


@pytest.fixture
def busy(written: Path, tmp_path: Path) -> Table:
    """Two partitions of three buckets that are often compacted, with deletes, an overwrite, a new column and
    statistics."""
    shutil.copytree(written, tmp_path / "warehouse")
    return connect(tmp_path / "warehouse").get_table("d.busy")


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse of `busy`."""
    warehouse = tmp_path_factory.mktemp("busy") / "warehouse"
    catalog = connect(warehouse)
    catalog.create_database("d")
    created = catalog.create_table(
        "d.busy",
        {"region": "STRING", "k": "BIGINT", "v": "STRING"},
        primary_key=["region", "k"],
        partition_by="region",
        options={"bucket": "3", "num-sorted-run.compaction-trigger": "3"},
    )
    chance = random.Random(7)
    for number in range(24):
        keys = chance.sample(range(-500, 500), 2 ** chance.randrange(1, 9))
        rows = {
            "region": [chance.choice(["eu", "us"]) for _ in keys],
            "k": keys,
            "v": [str(number)] * len(keys),
            "kind": ["-D" if number > 3 and chance.random() < 0.2 else "+I" for _ in keys],
        }
        created.write(pa.table(rows), row_kind="kind")
        if number == 12:
            catalog.alter_table("d.busy", wb.AddColumn("extra", "INT"))
            created = catalog.get_table("d.busy")
            created.analyze()
    created.write(pa.table({"region": ["us"], "k": [1], "v": ["over"]}), mode="overwrite")
    created.compact(full=True)
    return warehouse


@pytest.fixture(scope="session")
def golden(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The warehouses of some tables that Java wrote."""
    folder = tmp_path_factory.mktemp("java")
    with tarfile.open(archive("java-2.0.0")) as packed:
        packed.extractall(folder, filter="data")
    return sorted(path for path in folder.iterdir() if (path / "db.db").is_dir())[::6]


def tables_of(warehouses: list[Path]) -> Iterator[Table]:
    for warehouse in warehouses:
        catalog = connect(warehouse)
        for name in catalog.list_tables("db"):
            yield catalog.get_table(f"db.{name}")


def forget_reasons(table: Table) -> Table:
    """Return the table without the reasons that its snapshots recorded."""
    for path in Path(table.location, "snapshot").glob("snapshot-*"):
        snapshot = json.loads(path.read_text())
        snapshot.get("properties", {}).pop(COMPACTION_PROPERTY, None)
        path.write_text(json.dumps(snapshot))
    return connect(Path(table.location).parent.parent).get_table(table.name)
