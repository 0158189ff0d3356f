"""How the data files of one format differ from those of other formats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.format.types import DataType


def holds_every_type(_data_type: DataType) -> None:
    """Return None: a format without limits holds values of any type."""


@dataclass(frozen=True)
class FileFormatTraits:
    """The properties of a file format on which metadata, statistics and table definitions depend.

    The defaults describe a format that stores every value unchanged and has no peculiarities.

    Args:
        name: The name in options such as ``file.format`` and the extension of file names, in lower case.
        title: The name in messages.
        unsupported_type: Return the type, or the type nested in it, that files cannot hold; None if they can hold the
            whole type.
        holds_shredded_maps: Whether Java can store the values of MAP columns of these files in columns that several
            keys share.
        counts_nested_nulls: Whether the statistics of Java's files count the nulls of nested columns.
        has_binary_bounds: Whether the statistics of Java's files have bounds of BINARY and VARBINARY columns.
        has_key_stats_mode: Whether key and system columns have a separate statistics mode. If not, they use the mode of
            the table and count as columns of the file.
        keeps_wide_decimals: Whether decimals with more digits than their type survive; otherwise they become null.
        keeps_not_null: Whether a NOT NULL column is still NOT NULL in a file; otherwise any column may contain null.
        trims_char: Whether values of CHAR columns lose their trailing blanks when they are read.
    """

    name: str
    title: str
    unsupported_type: Callable[[DataType], DataType | str | None] = holds_every_type
    holds_shredded_maps: bool = False
    counts_nested_nulls: bool = True
    has_binary_bounds: bool = True
    has_key_stats_mode: bool = True
    keeps_wide_decimals: bool = True
    keeps_not_null: bool = True
    trims_char: bool = False
