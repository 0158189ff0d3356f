"""The partitions of rows, as labels that people read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from workbench.base.arrays import Int64Array
from workbench.expr.cells import cell_texts
from workbench.format.rows.binary_row_decoding import decode_columns
from workbench.format.types import DataField
from workbench.lsm.value_codes import row_codes, value_codes


def labels_of(rows: pa.Table, fields: Sequence[DataField]) -> tuple[Int64Array, list[str]]:
    """Return a partition number for each row, and the label of each number, such as ``dt=2026-11-01, region=eu``."""
    codes = row_codes([value_codes(column) for column in rows.columns], rows.num_rows)
    _, firsts, numbers = np.unique(codes, return_index=True, return_inverse=True)
    texts = [cell_texts(column) for column in rows.take(pa.array(firsts)).columns]
    return numbers.astype(np.int64), list(map(partial(_label, fields), zip(*texts, strict=True)))


def labels_of_partitions(partitions: Sequence[bytes], fields: Sequence[DataField]) -> list[str]:
    """Return the label of each serialized partition."""
    if not partitions:
        return []
    columns = [cell_texts(pa.chunked_array([each])) for each in decode_columns(partitions, [f.type for f in fields])]
    return list(map(partial(_label, fields), zip(*columns, strict=True)))


def _label(fields: Sequence[DataField], texts: Sequence[str | None]) -> str:
    return ", ".join(f"{field.name}={_quoted(text)}" for field, text in zip(fields, texts, strict=True))


def _quoted(text: str | None) -> str:
    """Quote a string that is blank or looks like a null."""
    if text is None:
        return "NULL"
    return f'"{text}"' if not text.strip() or text == "NULL" else text
