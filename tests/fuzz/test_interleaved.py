"""Random histories in which several writers work on one table at once, in one process."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.fuzz.budget import seeds
from tests.fuzz.interleaving import History
from tests.fuzz.kinds import KINDS, Kind
from tests.fuzz.repeating import fuzz


def fuzz_interleaved(kind: Kind, seed: int, directory: Path) -> None:
    fuzz(partial(History, kind), seed, directory, f"test_interleaved.py::test_many_histories[{kind}]")


@pytest.mark.parametrize("kind", KINDS[::8], ids=str)
def test_one_history(kind: Kind, tmp_path: Path) -> None:
    fuzz_interleaved(kind, 1, tmp_path / "warehouse")


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_many_histories(kind: Kind, tmp_path: Path) -> None:
    for seed in seeds():
        fuzz_interleaved(kind, seed, tmp_path / "warehouse")
