"""The consumer file (format §23), after `Consumer`: how far a streaming reader has come."""

from __future__ import annotations

import json

from workbench.base.errors import CorruptFile


def next_snapshot(text: str | bytes, path: str) -> int:
    """The id of the snapshot that the consumer reads next; ``path`` is named in errors.

    Raises:
        CorruptFile: the text is no consumer.
    """
    try:
        found = json.loads(text)["nextSnapshot"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CorruptFile(path, f"not a consumer in JSON ({error!r})") from error
    if not isinstance(found, int) or isinstance(found, bool):
        raise CorruptFile(path, f"'nextSnapshot' of the consumer is {json.dumps(found)[:60]}")
    return found


def consumer_json(next_snapshot: int) -> str:
    """The text of the file."""
    return json.dumps({"nextSnapshot": next_snapshot}, indent=2)
