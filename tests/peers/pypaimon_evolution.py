"""Operations of pypaimon on tables that store columns in separate files: updates and deletes by row id."""

from __future__ import annotations

from typing import Any

from serve import read_rows


def evolve(table: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Update the rows of an Arrow file, which has their `_ROW_ID`, or delete the rows with some ids, in one commit."""
    builder = table.new_batch_write_builder()
    update, committer = builder.new_update(), builder.new_commit()
    if request["what"] == "update":
        data = read_rows(request["rows"])
        columns = [name for name in data.column_names if name != "_ROW_ID"]
        messages = update.with_update_type(columns).update_by_arrow_with_row_id(data)
    else:
        messages = update.delete_by_row_id(request["row_ids"])
    committer.commit(messages)
    committer.close()
    return {"snapshot": table.snapshot_manager().get_latest_snapshot().id}
