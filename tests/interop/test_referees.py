"""The referees agree with each other: the others read the same rows that one writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.interop.cases import WIDE, Case
from tests.interop.lives import TABLE
from tests.interop.rows import assert_same_rows

ALL = ("java-2.0.0", "java-1.4.2", "pypaimon", "rust")


@pytest.mark.long
@pytest.mark.java
@pytest.mark.peers
@pytest.mark.parametrize("case", [WIDE[0], WIDE[3]], ids=str)
@pytest.mark.parametrize("writer", ALL)
def test_referees_agree(
    writer: str, case: Case, their_life: Callable[[str, Case], Any], referee: Callable[[str], Any]
) -> None:
    life = their_life(writer, case)
    # the Python peers store TIMESTAMP(9) as 64-bit nanoseconds, which Java 1.4.2 takes for milliseconds
    readers = ALL if writer.startswith("java") else ("java-2.0.0", "pypaimon", "rust")
    for reader in readers:
        assert_same_rows(referee(reader).read(life.warehouse, TABLE), life.latest)
