"""The files that this process failed to read, so that the health of their tables takes the failures into account."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from dataclasses import dataclass

from workbench.base.clock import SystemClock

MISSING = "the file is missing"
"""The reason of a failed read if there is no file."""

_MOST = 1000
_LOCAL = re.compile(r"^(?:file:)?/+(?=[^/])")


@dataclass(frozen=True)
class Fingerprint:
    """What a storage says about a file: another content has another size or time."""

    size: int
    modified_millis: int


@dataclass
class FailedRead:
    """A read that failed, and what the storage said about the file when it was looked at afterwards."""

    reason: str
    millis: int
    seen: Fingerprint | None = None

    def still_holds(self, found: Fingerprint | None) -> bool:
        """Return whether a file is as it was when the read failed; ``found`` is None if there is no file."""
        if found is None:
            return True
        if self.reason == MISSING or found.modified_millis > self.millis:
            return False
        if self.seen is None:
            self.seen = found
        return self.seen == found


class FailedReads:
    """The newest failures by path. Thread-safe."""

    def __init__(self) -> None:
        self._failed: OrderedDict[str, FailedRead] = OrderedDict()
        self._lock = threading.Lock()
        self.changes = 0
        """Counts changes of this memory."""

    def record(self, path: str, reason: str) -> None:
        """Remember that a file could not be read."""
        with self._lock:
            self.changes += 1
            self._failed[_key(path)] = FailedRead(reason, SystemClock().now_millis())
            self._failed.move_to_end(_key(path))
            if len(self._failed) > _MOST:
                self._failed.popitem(last=False)

    def find(self, path: str) -> FailedRead | None:
        """Return the failure of a file, None if no read of it failed."""
        return self._failed.get(_key(path)) if self._failed else None

    def forget(self, path: str) -> None:
        """Forget the failure of a file that was replaced or restored."""
        with self._lock:
            self.changes += 1
            self._failed.pop(_key(path), None)

    def __len__(self) -> int:
        return len(self._failed)


def _key(path: str) -> str:
    """Return the same key for ``/data/f`` and ``file:///data/f``."""
    return _LOCAL.sub("/", path)


FAILED_READS = FailedReads()
"""The failures of this process."""
