"""Loads, in advance, the modules that the first query needs."""

from __future__ import annotations

from importlib.util import find_spec


def preload() -> None:
    """Import DuckDB, if it is installed, and the parser."""
    import sqlglot.dialects.spark
    import sqlglot.optimizer.scope  # noqa: F401

    if find_spec("duckdb") is not None:
        import duckdb  # noqa: F401
