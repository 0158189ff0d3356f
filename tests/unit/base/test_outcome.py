"""Results print what they changed."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.base.outcome import Outcome


@dataclass(frozen=True, repr=False)
class Cleaning(Outcome):
    dry_run: bool
    old_files: tuple[str, ...] = ()
    bytes: int = 0
    removed: tuple[str, ...] = ()
    snapshot: int | None = None
    seconds: float = field(default=0, compare=False)


def test_counts_and_ids_are_printed() -> None:
    done = Cleaning("db.t", False, ("a", "b"), 1_000, ("c",), 7, 2.5)
    assert repr(done) == "<Cleaning of db.t: 2 old files, 1,000 bytes, 1 removed, snapshot 7>"


def test_a_dry_run_that_finds_nothing() -> None:
    assert repr(Cleaning("db.t", True)) == "<Cleaning of db.t (dry run): nothing>"
