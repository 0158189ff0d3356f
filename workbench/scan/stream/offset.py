"""The position of a stream in the history of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import WorkbenchError


@dataclass(frozen=True, order=True)
class StreamOffset:
    """The split that was read last: number ``index`` of a snapshot, -1 before the first split.

    With ``scan_snapshot``, the splits cover the whole snapshot, as at the start of some streams; otherwise they cover
    its changes. The snapshot may be the next one to be written.
    """

    snapshot_id: int
    index: int = -1
    scan_snapshot: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the offset as it is stored in a checkpoint, with the names that Paimon's connector uses."""
        return {"snapshotId": self.snapshot_id, "index": self.index, "scanSnapshot": self.scan_snapshot}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> StreamOffset:
        """Return the offset that is stored in a checkpoint.

        Raises:
            WorkbenchError: The checkpoint belongs to another source.
        """
        try:
            return cls(int(stored["snapshotId"]), int(stored["index"]), bool(stored["scanSnapshot"]))
        except (KeyError, TypeError, ValueError) as error:
            raise WorkbenchError(
                f"The checkpoint has the offset {dict(stored)}, which is not one of a Paimon table.",
                "Use another checkpointLocation.",
            ) from error
