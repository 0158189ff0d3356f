"""The index manifest of a snapshot (format §7), as far as it must be looked at to know which rows there are."""

from __future__ import annotations

from workbench.base.errors import CorruptFile
from workbench.format.avro_codec import read_container


def index_types(data: bytes, path: str) -> frozenset[str]:
    """The kinds of index that an index manifest lists, such as ``HASH`` or ``DELETION_VECTORS``.

    Raises CorruptFile naming ``path`` for anything that is no index manifest.
    """
    try:
        return frozenset(str(record["_INDEX_TYPE"]) for record in read_container(data, path))
    except KeyError as error:
        raise CorruptFile(path, "it is no index manifest") from error
