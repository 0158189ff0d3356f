"""Reading the statistics that ANALYZE committed (format §23)."""

from __future__ import annotations

import json
from typing import Any

from workbench.base.errors import CorruptFile
from workbench.format.spec import paths
from workbench.metadata.store import TableStore


def read_statistics(store: TableStore, name: str) -> dict[str, Any]:
    """Return the members of a statistics file; ``snapshotId`` and ``schemaId`` are always numbers.

    Raises:
        CorruptFile: The file is missing or damaged.
    """
    path = store.path(paths.STATISTICS_DIRECTORY, name)
    try:
        value = json.loads(store.read_metadata(path))
    except (ValueError, RecursionError) as error:
        raise CorruptFile(path, f"not statistics in JSON ({error})") from error
    numbers = ("snapshotId", "schemaId", "mergedRecordCount", "mergedRecordSize")
    if not isinstance(value, dict) or not all(_is_number(value.get(name), name in numbers[2:]) for name in numbers):
        raise CorruptFile(path, "a number in the statistics is missing or wrong")
    return value


def _is_number(value: Any, optional: bool) -> bool:
    return (optional and value is None) or (isinstance(value, int) and not isinstance(value, bool))
