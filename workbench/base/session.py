"""The settings of the session: ``wb.options``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from workbench.base.errors import WorkbenchError

_UTC = frozenset({"Etc/UTC", "Etc/UCT", "Etc/Zulu", "Etc/Universal", "UCT", "Zulu", "Universal"})


def machine_timezone() -> str:
    """Return the name of the machine's time zone; ``UTC`` for every name of UTC, and if it cannot be determined."""
    name = _configured_timezone()
    return "UTC" if name in _UTC else name


def _configured_timezone() -> str:
    named = os.environ.get("TZ")
    if named is not None:
        # POSIX: an empty TZ means UTC, and TZ may also be the path of a zone's file.
        named = named.lstrip(":").rpartition("zoneinfo/")[2] or "UTC"
        if _is_zone(named):
            return named
    target = os.path.realpath("/etc/localtime")
    if "zoneinfo/" in target:
        name = target.split("zoneinfo/", 1)[1]
        if _is_zone(name):
            return name
    file = Path("/etc/timezone")
    if file.exists() and _is_zone(file.read_text().strip()):
        return file.read_text().strip()
    return "UTC"


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return False
    return True


def default_disk_cache() -> str | None:
    """Return the directory for copies of remote files; None if the environment switches them off."""
    named = os.environ.get("PAIMON_WORKBENCH_DISK_CACHE")
    if named is not None:
        return named or None
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(caches, "paimon-workbench")


@dataclass(slots=True)
class SessionOptions:
    """The settings of the session, ``wb.options``.

    ``timezone``: the zone in which timestamps without a zone are interpreted, and in which times are shown.
    ``allowed_roots``: directories and URLs outside a warehouse from which its tables may open files. A table may refer
    to files anywhere; files that are neither in its warehouse nor below one of these roots are not opened.
    ``disk_cache``: the directory in which files of object stores and HDFS that never change are kept, so that they are
    not requested again; None for no such directory. It is that of the environment variable
    ``PAIMON_WORKBENCH_DISK_CACHE``, which is empty for none, or else ``~/.cache/paimon-workbench``.
    ``disk_cache_bytes``: about how many bytes are kept in it; those that were used least recently are removed.

    Example:
        >>> options = SessionOptions(timezone="Europe/Berlin")
        >>> str(options.zone())
        'Europe/Berlin'
    """

    timezone: str = field(default_factory=machine_timezone)
    allowed_roots: Sequence[str] = ()
    disk_cache: str | None = field(default_factory=default_disk_cache)
    disk_cache_bytes: int = 2 << 30

    def zone(self) -> tzinfo:
        """Return the zone as an object.

        Raises:
            WorkbenchError: The name is not a time zone.
        """
        try:
            return ZoneInfo(self.timezone)
        except (ValueError, OSError, KeyError, TypeError, AttributeError) as error:
            raise WorkbenchError(
                f"'{self.timezone}' is not a time zone.", "Use a name such as 'Europe/Berlin' or 'UTC'."
            ) from error


session_options = SessionOptions()
