"""The definition of a new table, as given by CREATE TABLE and by Spark's writers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import types as spark

from workbench.base.errors import Unsupported
from workbench.format.options.catalog import find_option
from workbench.spark.types import from_declared
from workbench.table.schema_changes.schema import with_default

OF_SPARK = ("provider", "is_managed_location")
"""Properties that Spark adds by itself."""


def table_definition(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `Catalog.create_table`."""
    _check_kind(request["properties"])
    given = {key: value for key, value in request["properties"].items() if key not in OF_SPARK}
    # The options of a writer that Paimon knows become options of the table; all others concern only the write.
    given |= {key: value for key, value in request.get("options", {}).items() if find_option(key) is not None}
    comment = given.pop("comment", None)
    key = [name.strip() for name in given.pop("primary-key", "").split(",") if name.strip()]
    columns = from_declared(spark.StructType.fromJson(json.loads(request["schema"])))
    partitions = [name.strip() for name in given.pop("partition", "").split(",") if name.strip()]
    return {
        "schema": [with_default(each, each.default_value) for each in columns],
        "primary_key": key,
        "partition_by": request["partitions"] or partitions,
        "options": given,
        "comment": comment,
    }


def _check_kind(properties: Mapping[str, str]) -> None:
    """Refuse tables of other formats and tables outside of the warehouse."""
    provider = properties.get("provider", "paimon")
    if provider.lower() != "paimon":
        raise Unsupported(
            f"Tables of the format '{provider}' are not supported.", "Write USING paimon, or df.writeTo(…).create()."
        )
    if "location" in properties or "external" in properties:
        raise Unsupported("External tables are not supported.", "Remove EXTERNAL and LOCATION.")
