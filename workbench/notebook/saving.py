"""Saves all rows of a result as a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from workbench.base.errors import InvalidExpression
from workbench.base.modules import pq


def _write_csv(rows: pa.Table, path: Path) -> None:
    from pyarrow import csv

    try:
        csv.write_csv(rows, path)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InvalidExpression(f"The rows do not fit into a CSV file: {error}.", "Save them as .parquet.") from error


def _write_parquet(rows: pa.Table, path: Path) -> None:
    pq.write_table(rows, path)


_WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {".csv": _write_csv, ".parquet": _write_parquet}


def save(result: Any, file: str) -> None:
    """Write all rows of a result to a file, whose suffix is the format.

    Raises:
        InvalidExpression: The suffix is not known, or the statement has no rows.
    """
    path = Path(file).expanduser()
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise InvalidExpression(f"'{file}' has no known suffix.", f"Use {' or '.join(_WRITERS)}.")
    if result.message is not None:
        raise InvalidExpression("The statement has no rows to save.", "Remove --save.")
    writer(result.to_arrow(), path)
