"""Modules that are slow to import, each loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.base.lazy import LazyModule

if TYPE_CHECKING:
    import tomllib

    import fastavro
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    import sqlglot
    from pyarrow import orc
    from sqlglot import exp
    from sqlglot.optimizer import scope as scopes
else:
    exp = LazyModule("sqlglot.expressions")
    fastavro = LazyModule("fastavro")
    orc = LazyModule("pyarrow.orc")
    pc = LazyModule("pyarrow.compute")
    pq = LazyModule("pyarrow.parquet")
    scopes = LazyModule("sqlglot.optimizer.scope")
    sqlglot = LazyModule("sqlglot")
    tomllib = LazyModule("tomllib")

__all__ = ["exp", "fastavro", "orc", "pc", "pq", "scopes", "sqlglot", "tomllib"]
