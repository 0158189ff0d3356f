"""The consumer file (Java `Consumer`): the progress of a streaming reader (format §23)."""

from __future__ import annotations

import json

from workbench.base.errors import CorruptFile


def next_snapshot(text: str | bytes, path: str) -> int:
    """Return the id of the snapshot that the consumer reads next; errors name ``path``.

    Raises:
        CorruptFile: If the text is not a consumer.
    """
    try:
        number = json.loads(text)["nextSnapshot"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CorruptFile(path, f"not a consumer in JSON ({error!r})") from error
    if not isinstance(number, int) or isinstance(number, bool):
        raise CorruptFile(path, f"'nextSnapshot' of the consumer is {json.dumps(number)[:60]}")
    return number


def consumer_json(next_snapshot: int) -> str:
    """Return the text of the file."""
    return json.dumps({"nextSnapshot": next_snapshot}, indent=2)
