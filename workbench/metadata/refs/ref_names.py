"""Checks of the names that users give to tags, branches and consumers, which become file names."""

from __future__ import annotations

from workbench.base.errors import InvalidRequest
from workbench.format.spec.paths import check_file_name

# Most storages limit names to 255 bytes, and a file that is written atomically has a longer temporary name.
_MAX_BYTES = 180


def checked_name(kind: str, name: str) -> str:
    """Return ``name`` if it is valid for a ``kind`` (tag, branch, consumer).

    Raises:
        InvalidRequest: The name is blank, too long, or would lead to another directory.
    """
    if not name.strip():
        raise InvalidRequest(f"The name of a {kind} must not be blank.", "Pass a name.")
    if len(name.encode(errors="replace")) > _MAX_BYTES:
        raise InvalidRequest(f"The name of the {kind} is longer than {_MAX_BYTES} bytes.", "Choose a shorter name.")
    try:
        # Checked with the prefix, after which `..` is a name like any other.
        check_file_name(f"{kind}-{name}")
    except ValueError as error:
        raise InvalidRequest(
            f"{name!r} is not a valid name of a {kind}.", "Remove slashes, backslashes and control characters."
        ) from error
    return name
