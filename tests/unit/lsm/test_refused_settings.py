"""Settings of merge engines that Java Paimon cannot merge with are refused by name."""

from __future__ import annotations

import pytest

from workbench.base.errors import InvalidSchema
from workbench.lsm.merge_engine import merge_function_for
from workbench.metadata.definition.new_schema import new_table_schema

COLUMNS = {"id": "INT NOT NULL", "g": "INT", "v": "INT", "b": "BOOLEAN"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"merge-engine": "aggregation", "fields.b.aggregate-function": "max"}, "'b' of type BOOLEAN .* 'max'"),
        ({"merge-engine": "aggregation", "fields.b.aggregate-function": "min"}, "'b' of type BOOLEAN .* 'min'"),
        (
            {
                "merge-engine": "partial-update",
                "fields.g.sequence-group": "v",
                "partial-update.remove-record-on-sequence-group": "v",
            },
            "remove-record-on-sequence-group' names 'v'",
        ),
    ],
)
def test_refused(options: dict[str, str], message: str) -> None:
    schema = new_table_schema(COLUMNS, primary_key=["id"], options={"bucket": "1", **options}, time_millis=0)
    with pytest.raises(InvalidSchema, match=message):
        merge_function_for(schema, ["g", "v", "b"])
