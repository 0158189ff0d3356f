"""The functions in the database ``sys`` as Python functions, for sessions whose JVM does not know them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from workbench.format.blob.descriptor import BlobDescriptor
from workbench.format.rows.bucket import fixed_buckets
from workbench.format.types import from_arrow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PREFIX = "workbench_sys_"


def registered_name(session: SparkSession, name: str) -> str:
    """Return the name by which a session knows a function of `NAMES`; the first call registers it.

    Args:
        session: The session.
        name: The name, without the database.
    """
    from pyspark.sql.pandas.functions import arrow_udf

    from workbench.spark.shipping import ship

    ship(session)
    function, returned = NAMES[name]
    made: Any = arrow_udf(function, returned)  # type: ignore[call-overload]
    session.udf.register(_PREFIX + name, made)
    return _PREFIX + name


def _bucket(function: str) -> Callable[..., pa.Array]:
    def bucket(*arguments: pa.Array) -> pa.Array:
        return _buckets(f"sys.{_SYS_NAMES[function]}", function, arguments)

    return bucket


def _buckets(name: str, function: str, arguments: Sequence[pa.Array]) -> pa.Array:
    if len(arguments) < 2 or arguments[0].type != pa.int32():
        raise ValueError(
            f"The arguments of {name} must be the number of buckets, an INT, and the columns of the bucket key."
        )
    numbers, columns = arguments[0].fill_null(0).to_numpy(), arguments[1:]
    if len(numbers) and numbers.min() < 1:
        raise ValueError(f"The number of buckets of {name} must be at least 1.")
    types = [from_arrow(each.type) for each in columns]
    found = np.zeros(len(numbers), np.int32)
    for number in np.unique(numbers).tolist():
        rows = np.flatnonzero(numbers == number)
        found[rows] = fixed_buckets([each.take(pa.array(rows)) for each in columns], types, number, function)
    return pa.array(found)


def _path_to_descriptor(paths: pa.Array) -> pa.Array:
    return pa.array(
        [None if path is None else BlobDescriptor(path, 0, -1).to_bytes() for path in paths.to_pylist()], pa.binary()
    )


def _descriptor_to_string(descriptors: pa.Array) -> pa.Array:
    return pa.array([None if data is None else _shown(data) for data in descriptors.to_pylist()], pa.string())


def _shown(data: bytes) -> str:
    known = BlobDescriptor.from_bytes(data)
    return f"BlobDescriptor{{version={data[0]}, uri='{known.uri}', offset={known.offset}, length={known.length}}}"


_SYS_NAMES = {"default": "bucket", "mod": "mod_bucket", "hive": "hive_bucket"}
NAMES: dict[str, tuple[Callable[..., Any], str]] = {
    **{name: (_bucket(function), "int") for function, name in _SYS_NAMES.items()},
    "path_to_descriptor": (_path_to_descriptor, "binary"),
    "descriptor_to_string": (_descriptor_to_string, "string"),
}
"""The functions and the types of their results."""
