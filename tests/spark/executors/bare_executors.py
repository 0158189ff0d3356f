"""A driver whose executors run another Python. Arguments: ``warehouse python archive``.

Without an archive, that Python has only NumPy and Arrow. Prints what the tables contain, and what tasks can import.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa


def places(batches: Iterator[Any]) -> Iterator[Any]:
    """Return the file of this package, and the names of optional packages, on an executor."""
    from importlib.util import find_spec

    import workbench

    for _ in batches:
        found = [str(workbench.__file__), *(name for name in ("fastavro", "datasketches") if find_spec(name))]
        yield pa.record_batch([pa.array(found)], ["found"])


def main(warehouse: str, python: str, archive: str) -> None:
    """Write, compact and read tables."""
    import workbench as wb
    from tests.support.spark_places import small_session
    from workbench.spark.session import map_in_arrow

    os.environ["PYSPARK_PYTHON"] = python
    # Spark inspects Python data sources in processes next to the driver, which use the same path to Python.
    os.chdir(Path(warehouse).parent)
    if archive:
        shutil.unpack_archive(archive, "environment")
    more = {"spark.archives": f"{archive}#environment"} if archive else {}
    session = small_session("bare", "local-cluster[2,1,1536]", more=more)
    catalog = wb.connect(warehouse)
    catalog.create_database("db")
    columns = {"id": "BIGINT", "v": "STRING"}
    formats = ("parquet", "orc", "avro") if archive else ("parquet", "orc")
    found: dict[str, Any] = {}
    for number, format in enumerate(formats):
        options = {"file.format": format, "bucket": "2" if number else "-1"}
        table = catalog.create_table(f"db.{format}", columns, ["id"], options=options)
        for start in (0, 500):
            rows = session.range(start, start + 1000, 1, 2).selectExpr("id", f"concat('{start}-', id) AS v")
            wb.spark.write(rows, table, files="arrow")
        wb.spark.compact(table, full=True)
        wb.spark.write(session.sql("SELECT 7L AS id, 'new' AS v"), table)
        shown = wb.spark.read(table).where("id IN (7, 499, 700)").orderBy("id").collect()
        found[format] = [wb.spark.read(table).count(), *(row.v for row in shown)]
    log = catalog.create_table("db.log", columns)
    wb.spark.write(session.range(1000).selectExpr("id", "'x' AS v"), log, files="jvm")
    attached = wb.spark.attach(session, catalog)
    found["log"] = [row[0] for row in attached.sql("SELECT count(*) FROM paimon.db.log WHERE id < 10").collect()]
    found["tasks"] = [row.found for row in map_in_arrow(session.range(1).coalesce(1), places, "found string").collect()]
    print(json.dumps(found))
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
