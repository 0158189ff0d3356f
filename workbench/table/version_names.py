"""Names that users give to tags, branches and consumers: they become names of files."""

from __future__ import annotations

from workbench.base.errors import InvalidRequest
from workbench.format.paths import check_file_name

# Most stores take 255 bytes; what is written at once has a longer name for a moment.
_MOST_BYTES = 180


def checked_name(kind: str, name: str) -> str:
    """``name`` if a ``kind`` (tag, branch, consumer) can be called so.

    Raises:
        InvalidRequest: it is blank, too long, or would lead to another directory.
    """
    if not name.strip():
        raise InvalidRequest(f"The name of a {kind} cannot be blank.", "Give it a name.")
    if len(name.encode(errors="replace")) > _MOST_BYTES:
        raise InvalidRequest(f"The name of the {kind} is longer than {_MOST_BYTES} bytes.", "Choose a shorter one.")
    try:
        # Not by itself: `..` is a name like any other behind the prefix of the kind.
        check_file_name(f"{kind}-{name}")
    except ValueError as error:
        raise InvalidRequest(
            f"{name!r} cannot be the name of a {kind}.", "Leave out slashes, backslashes and control characters."
        ) from error
    return name
