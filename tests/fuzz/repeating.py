"""Run one random history after the other; if one fails, report its shortest form and how to repeat it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fuzz.interleaving import History

STEPS = 14
SHRINKING_SECONDS = 30
Make = Callable[[Path, int], History]


@dataclass(frozen=True)
class Failure:
    """The type of an exception, and its text together with the log of everything done before."""

    type: str
    text: str


def live(make: Make, seed: int, steps: Sequence[int], directory: Path) -> Failure | None:
    """Run a history; return None if it succeeded."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    history = make(directory, seed)
    try:
        for number in steps:
            history.step(number)
        history.finish()
    except Exception as failure:  # noqa: BLE001 - told with its history
        return Failure(type(failure).__name__, "\n".join([*history.log, f"{type(failure).__name__}: {failure}"]))
    return None


def shrunk(
    make: Make, seed: int, steps: Sequence[int], directory: Path, failure: Failure
) -> tuple[Sequence[int], Failure]:
    """A failure of the same type with as few steps as can be found soon."""
    deadline = time.monotonic() + SHRINKING_SECONDS
    for number in reversed(steps):
        if time.monotonic() > deadline:
            break
        fewer = [each for each in steps if each != number]
        result = live(make, seed, fewer, directory)
        if result is not None and result.type == failure.type:
            steps, failure = fewer, result
    return steps, failure


def fuzz(make: Make, seed: int, directory: Path, test: str) -> None:
    """Run the history of a seed. Of its steps, WORKBENCH_FUZZ_STEPS (``0,3,4``) chooses some. ``test``: its long test,
    which repeats it."""
    chosen = os.environ.get("WORKBENCH_FUZZ_STEPS")
    steps: Sequence[int] = list(map(int, chosen.split(","))) if chosen else range(STEPS)
    failure = live(make, seed, steps, directory)
    if failure is None:
        return
    if not chosen:
        steps, failure = shrunk(make, seed, steps, directory, failure)
    pytest.fail(
        f"{failure.text}\n\nRepeat it: WORKBENCH_FUZZ_SECONDS=0 WORKBENCH_FUZZ_SEED={seed} "
        f"WORKBENCH_FUZZ_STEPS={','.join(map(str, steps))} python -m pytest 'tests/fuzz/{test}'",
        pytrace=False,
    )
