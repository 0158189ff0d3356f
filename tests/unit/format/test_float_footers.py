"""Footers have no statistics of floating-point columns, because their bounds would ignore NaN."""

from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.format.options.core_options import CoreOptions
from workbench.format.parquet.schema import parquet_schema, write_arguments
from workbench.format.types import DataField, parse_type


def test_no_bounds_for_floats_and_bounds_for_others() -> None:
    fields = [
        DataField(i, name, parse_type(text))
        for i, (name, text) in enumerate([("d", "DOUBLE"), ("f", "FLOAT"), ("n", "INT")])
    ]
    schema = parquet_schema(fields)
    out = BytesIO()
    with pq.ParquetWriter(out, schema, **write_arguments(CoreOptions({}), "zstd", fields)) as writer:
        writer.write_table(pa.table({"d": [float("nan"), 1.0], "f": [1.0, 2.0], "n": [1, 2]}, schema=schema))
    group = pq.read_metadata(BytesIO(out.getvalue())).row_group(0)
    known = {group.column(i).path_in_schema: group.column(i).statistics for i in range(3)}
    assert known["n"].max == 2
    assert known["d"] is None
    assert known["f"] is None
