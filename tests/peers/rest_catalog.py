"""Reads a table of a REST catalog with pypaimon, writes a row, alters it, and prints what it read as JSON."""

import json
import sys

import pyarrow as pa
from pypaimon import CatalogFactory
from pypaimon.schema.schema_change import SchemaChange


def _rows(table):
    builder = table.new_read_builder()
    return builder.new_read().to_arrow(builder.new_scan().plan().splits()).to_pylist()


def main():
    request = json.loads(sys.argv[1])
    catalog = CatalogFactory.create(request["options"])
    table = catalog.get_table(request["table"])
    before = _rows(table)
    builder = table.new_batch_write_builder()
    write, commit = builder.new_write(), builder.new_commit()
    fields = [pa.field("id", pa.int64(), nullable=False), pa.field("v", pa.string())]
    write.write_arrow(pa.table({"id": [7], "v": ["of pypaimon"]}, schema=pa.schema(fields)))
    commit.commit(write.prepare_commit())
    write.close()
    commit.close()
    catalog.alter_table(request["table"], [SchemaChange.update_comment("changed by pypaimon")], False)
    print(json.dumps({"before": before, "after": _rows(catalog.get_table(request["table"]))}))


main()
