"""Reading of the rows of one file that may have the requested keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from workbench.datafile.protocol import DataFile

if TYPE_CHECKING:
    from workbench.expr.expressions import Expr

# If statistics leave at most this many rows of a file, the read looks up some keys, and more lookups will follow.
_ROWS_OF_A_LOOKUP = 1 << 18


def read_where(reader: DataFile, columns: Sequence[str], where_keys: Expr | None) -> pa.Table:
    """Read all rows of a file that may have the requested keys. If there are few, they are kept in memory for later
    reads."""
    is_lookup = where_keys is not None and reader.rows <= _ROWS_OF_A_LOOKUP
    return reader.read_kept(columns) if is_lookup else reader.read(columns)
