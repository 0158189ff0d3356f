"""Starts makers by their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.interop.matrix.flink_maker import FlinkMaker
from tests.interop.matrix.makers import JavaCore, Maker, Peer
from tests.interop.matrix.spark import SparkSql


def started(name: str, referee: Callable[[str], Any], warehouse: Path) -> Maker:
    """Start a maker; ``warehouse`` is for makers that keep all tables in one warehouse."""
    if name.startswith("java"):
        return JavaCore(referee(name))
    if name == "flink-2.0.0":
        return FlinkMaker(warehouse, referee("java-2.0.0"))
    if name == "spark-0.9":
        return SparkSql(warehouse)
    return Peer(referee(name), lambda: referee("pypaimon"))
