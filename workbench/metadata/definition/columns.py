"""The forms in which callers give the columns of a new table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import pyarrow as pa

from workbench.format.types import DataField, DataType

_Column: TypeAlias = tuple[str, DataType | str] | tuple[str, DataType | str, str | None] | DataField
Columns: TypeAlias = pa.Schema | Mapping[str, str | DataType] | Sequence[_Column]
"""An Arrow schema, a mapping of names to types, or a sequence of (name, type) or (name, type, comment)."""
