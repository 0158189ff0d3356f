"""Columns of descriptors: created for the objects of a file, and grouped by file."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import workbench as wb
from workbench.format.blob.descriptor import BlobDescriptor, descriptor_column, references


def test_a_column_of_one_file() -> None:
    column = descriptor_column("/w/ä.blob", np.array([4, -1, 30]), np.array([10, -1, 0]))
    assert column.type == pa.binary()
    expected = [BlobDescriptor("/w/ä.blob", 4, 10).to_bytes(), None, BlobDescriptor("/w/ä.blob", 30, 0).to_bytes()]
    assert column.to_pylist() == expected


def test_references_by_file() -> None:
    first_version = b"\x01" + BlobDescriptor("/old", 3, 4).to_bytes()[9:]
    values = [
        BlobDescriptor("/a", 1, 2).to_bytes(),
        None,
        BlobDescriptor("/b", 3, -1).to_bytes(),
        BlobDescriptor("/a", 5, 6).to_bytes(),
        BlobDescriptor("/longer", 7, 8).to_bytes(),
        first_version,
    ]
    result = {
        each.uri: list(zip(each.rows.tolist(), each.offsets.tolist(), each.lengths.tolist(), strict=True))
        for each in references(pa.array(["sliced off", *values], pa.binary())[1:])
    }
    expected = {"/a": [(0, 1, 2), (3, 5, 6)], "/b": [(2, 3, -1)], "/longer": [(4, 7, 8)], "/old": [(5, 3, 4)]}
    assert result == expected


def test_values_that_are_not_references() -> None:
    view = b"\x01" + (0x424C4F4256494557).to_bytes(8, "little") + bytes(20)
    with pytest.raises(wb.Unsupported, match="another table"):
        list(references(pa.array([view])))
    with pytest.raises(ValueError, match="descriptor"):
        list(references(pa.array([b"\x02 something else that is as long"])))
    assert list(references(pa.array([None], pa.binary()))) == []
