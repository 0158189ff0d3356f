"""Which engines and tables every test run checks, and which only long runs.

Java 2.0.0, pypaimon and pypaimon-rust check one table of each shape, with columns of all types. The older Java, other
options of the statistics and a table for each type of a key or a partition add depth, not width: only long runs check
them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.interop.cases import Case

JAVA = [
    pytest.param("java-2.0.0", marks=pytest.mark.java),
    pytest.param("java-1.4.2", marks=[pytest.mark.java, pytest.mark.long]),
]
PEERS = [pytest.param(name, marks=pytest.mark.peers) for name in ("pypaimon", "rust")]
ENGINES = [*JAVA, *PEERS]
SHAPES = ("append-unaware", "append-bucketed", "pk", "pk-partitioned", "composite", "nested-append", "nested-pk")


def tiered(cases: Iterable[Case]) -> list[Any]:
    """Return the cases as parameters of a test, marked long if only long runs check them."""
    return [pytest.param(case, id=case.name, marks=() if case.name in SHAPES else pytest.mark.long) for case in cases]
