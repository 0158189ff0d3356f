"""The types of NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

AnyArray = npt.NDArray[Any]
BoolArray = npt.NDArray[np.bool_]
Int8Array = npt.NDArray[np.int8]
Int16Array = npt.NDArray[np.int16]
Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
Float64Array = npt.NDArray[np.float64]
UInt8Array = npt.NDArray[np.uint8]
UInt16Array = npt.NDArray[np.uint16]
UInt32Array = npt.NDArray[np.uint32]
UInt64Array = npt.NDArray[np.uint64]
