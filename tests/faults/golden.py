"""Tables that Java 2.0.0 wrote, with every kind of file that a table may have. To create them again (needs the
referees):

python tests/faults/golden.py
"""

from __future__ import annotations

import json
import random
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa

ARCHIVE = Path(__file__).parent / "golden.tar.xz"
COLUMNS = {"id": "BIGINT NOT NULL", "part": "STRING NOT NULL", "v": "BIGINT", "s": "STRING", "d": "DECIMAL(10, 2)"}
KEYED = {
    "bucket": "1",
    "deletion-vectors.enabled": "true",
    "changelog-producer": "lookup",
    "file-index.bloom-filter.columns": "v",
    "file-index.bloom-filter.v.items": "500",
    "file-index.in-manifest-threshold": "1 B",
}
# Options by table. The tables have deletion vectors of both kinds, separate index files, changelogs, a tag, a branch.
KEYED_TABLES = {
    "keyed_parquet": {"file.format": "parquet", "manifest.compression": "zstd"},
    "keyed_orc": {"file.format": "orc", "deletion-vectors.bitmap64": "true", "manifest.compression": "snappy"},
    "keyed_avro": {"file.format": "avro", "manifest.compression": "deflate"},
}
CODECS = {
    "parquet": ("zstd", "snappy", "gzip", "lz4", "none"),
    "orc": ("zstd", "snappy", "zlib", "lz4", "none"),
    "avro": ("zstd", "snappy", "deflate", "null"),
}
# A Parquet file of several row groups.
GROUPED = "db.append_row_groups"
ROWS = 500


def unpack(target: Path) -> Path:
    """Extract the warehouse into ``target``, and return its path."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(target, filter="data")
    return target / "warehouse"


def rows_of(number: int, keys: int, count: int) -> pa.Table:
    chance = random.Random(number)
    ids = sorted(chance.sample(range(keys), count))

    def or_null(value: Any) -> Any:
        return None if chance.random() < 0.2 else value

    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "part": [f"p{each % 2}" for each in ids],
            "v": pa.array([or_null(chance.randrange(1000)) for _ in ids], pa.int64()),
            "s": [or_null(f"text {chance.randrange(10**9)} of {number}") for _ in ids],
            "d": pa.array([or_null(chance.randrange(10**7)) for _ in ids], pa.int64())
            .cast(pa.decimal128(19, 0))
            .cast(pa.decimal128(21, 2))
            .cast(pa.decimal128(10, 2)),
        }
    )


def make(warehouse: Path) -> None:
    """Write the tables with Java, and by hand the small files for which Java has no plain call."""
    from tests.interop.referees import start

    java = start("java-2.0.0")
    try:
        for name, options in KEYED_TABLES.items():
            _keyed(java, warehouse, f"db.{name}", {**KEYED, **options})
            _by_hand(warehouse / "db.db" / name)
        for file_format, codecs in CODECS.items():
            for codec in codecs:
                table = f"db.append_{file_format}_{codec}"
                options = {"file.format": file_format, "file.compression": codec}
                java.create(warehouse, table, COLUMNS, (), (), options)
                java.write(warehouse, table, rows_of(0, 2 * ROWS, ROWS))
        java.create(warehouse, GROUPED, COLUMNS, (), (), {"file.format": "parquet", "file.block-size": "8 kb"})
        java.write(warehouse, GROUPED, rows_of(0, 4 * ROWS, 2 * ROWS))
    finally:
        java.close()


def _keyed(java: Any, warehouse: Path, table: str, options: dict[str, str]) -> None:
    java.create(warehouse, table, COLUMNS, ["part", "id"], ["part"], options)
    for number in range(4):
        java.write(warehouse, table, rows_of(number, 2 * ROWS, ROWS // 8 if number else ROWS))
        if number == 1:
            java.ask("tag", warehouse, table, tag="v1", snapshot=4)
            java.ask("branch", warehouse, table, branch="b1", tag="v1")
    java.expire(warehouse, table, 3, changelogs=100)


def _by_hand(table: Path) -> None:
    latest = table / "snapshot" / f"snapshot-{(table / 'snapshot' / 'LATEST').read_text()}"
    snapshot = json.loads(latest.read_text())
    (table / "consumer").mkdir()
    (table / "consumer" / "consumer-c1").write_text('{"nextSnapshot":7}')
    statistics = {"snapshotId": snapshot["id"], "schemaId": 0, "mergedRecordCount": 600, "mergedRecordSize": 6000}
    (table / "statistics").mkdir()
    (table / "statistics" / "stat-1").write_text(json.dumps(statistics))
    latest.write_text(json.dumps({**snapshot, "statistics": "stat-1"}))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        made = Path(place) / "warehouse"
        made.mkdir()
        make(made)
        for checksum in made.rglob(".*.crc"):
            checksum.unlink()
        with tarfile.open(ARCHIVE, "w:xz") as archive:
            archive.add(made, "warehouse")
        shutil.rmtree(made)
