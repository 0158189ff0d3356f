"""Snapshot properties that this library writes: its version, the statement and its cell, and why compactions ran."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.base.version import VERSION

WRITER_PROPERTY = "workbench.writer"
COMPACTION_PROPERTY = "workbench.compaction"
STATEMENT_PROPERTY = "workbench.statement"
CELL_PROPERTY = "workbench.cell"
_MAX_COMPACTIONS = 64


def commit_properties(given: Mapping[str, str], compactions: Sequence[Mapping[str, Any]] = ()) -> dict[str, str]:
    """Return the properties of a snapshot: the given properties, the writer, and the reasons for its compactions."""
    result = {WRITER_PROPERTY: f"paimon-workbench {VERSION}", **given}
    if compactions:
        kept: list[Mapping[str, Any]] = list(compactions[:_MAX_COMPACTIONS])
        if len(compactions) > len(kept):
            # Every reader reads the whole snapshot file, so it must not grow with the number of buckets.
            kept.append({"more": len(compactions) - len(kept)})
        result[COMPACTION_PROPERTY] = json.dumps(kept, separators=(",", ":"))
    return result
