"""Modules that are slow to import, each loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.base.lazy import LazyModule

if TYPE_CHECKING:
    import bz2
    import difflib
    import html
    import lzma
    import shutil
    import tempfile
    import tomllib
    import uuid
    from concurrent import futures

    import fastavro
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    import sqlglot
    from pyarrow import orc
    from sqlglot import exp
    from sqlglot.optimizer import scope as scopes
else:
    bz2 = LazyModule("bz2")
    difflib = LazyModule("difflib")
    exp = LazyModule("sqlglot.expressions")
    fastavro = LazyModule("fastavro")
    futures = LazyModule("concurrent.futures")
    html = LazyModule("html")
    lzma = LazyModule("lzma")
    orc = LazyModule("pyarrow.orc")
    pc = LazyModule("pyarrow.compute")
    pq = LazyModule("pyarrow.parquet")
    scopes = LazyModule("sqlglot.optimizer.scope")
    shutil = LazyModule("shutil")
    sqlglot = LazyModule("sqlglot")
    tempfile = LazyModule("tempfile")
    tomllib = LazyModule("tomllib")
    uuid = LazyModule("uuid")

__all__ = [
    "bz2",
    "difflib",
    "exp",
    "fastavro",
    "futures",
    "html",
    "lzma",
    "orc",
    "pc",
    "pq",
    "scopes",
    "shutil",
    "sqlglot",
    "tempfile",
    "tomllib",
    "uuid",
]
