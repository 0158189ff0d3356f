"""The result of the maintenance that follows a commit."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, repr=False)
class AfterCommit:
    """The maintenance done after a commit: names of tags and consumers, directories of partitions, ids of snapshots.

    ``failure`` is the reason why the rest was left to the next commit. ``in_background``: the maintenance is still
    running, and its result is only logged.
    """

    tags_created: tuple[str, ...] = ()
    tags_expired: tuple[str, ...] = ()
    partitions_dropped: tuple[str, ...] = ()
    consumers_expired: tuple[str, ...] = ()
    snapshots_expired: tuple[int, ...] = ()
    changelogs_expired: tuple[int, ...] = ()
    partitions_done: tuple[str, ...] = ()
    failure: str | None = None
    in_background: bool = False

    def __repr__(self) -> str:
        shown = {name: value for name, value in asdict(self).items() if value}
        return f"<After commit: {', '.join(f'{name} {value}' for name, value in shown.items()) or 'nothing was due'}>"
