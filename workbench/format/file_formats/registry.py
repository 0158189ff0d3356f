"""The file formats that are known by name. `workbench.datafile.formats.registry` adds their readers and writers."""

from __future__ import annotations

from workbench.base.errors import AlreadyExists, InvalidRequest
from workbench.format.file_formats.traits import FileFormatTraits
from workbench.format.types import DataType


def _not_in_orc(data_type: DataType) -> str | None:
    # Loaded here because most tables have no ORC files.
    from workbench.format.orc.schema import type_not_in_orc

    return type_not_in_orc(data_type)


def _not_in_avro(data_type: DataType) -> DataType | None:
    # Loaded here because most tables have no Avro data files.
    from workbench.format.avro.schema import type_not_in_avro

    return type_not_in_avro(data_type)


PARQUET = FileFormatTraits("parquet", "Parquet", holds_shredded_maps=True, counts_nested_nulls=False)
ORC = FileFormatTraits(
    "orc",
    "ORC",
    unsupported_type=_not_in_orc,
    holds_shredded_maps=True,
    has_binary_bounds=False,
    keeps_wide_decimals=False,
    keeps_not_null=False,
    trims_char=True,
)
AVRO = FileFormatTraits(
    "avro", "Avro", unsupported_type=_not_in_avro, has_key_stats_mode=False, keeps_wide_decimals=False
)

_TRAITS = {each.name: each for each in (PARQUET, ORC, AVRO)}


def register_traits(traits: FileFormatTraits) -> None:
    """Make a file format known to options and table definitions.

    Raises:
        AlreadyExists: If a format of that name is already registered.
        InvalidRequest: If the name cannot be the extension of a file name.
    """
    name = traits.name
    if not (name.isascii() and name.isalnum() and name == name.lower()):
        raise InvalidRequest(
            f"A file format cannot have the name '{name}'.", "Use lower-case ASCII letters and digits."
        )
    if name in _TRAITS:
        raise AlreadyExists(f"File format '{name}' is already registered.", "Choose another name.")
    _TRAITS[name] = traits


def find_traits(name: str) -> FileFormatTraits | None:
    """Return the traits of a file format, or None if no such format is registered."""
    return _TRAITS.get(name)


def known_traits() -> tuple[FileFormatTraits, ...]:
    """Return the traits of all registered file formats."""
    return tuple(_TRAITS.values())


def supported_formats() -> str:
    """Return the hint that lists the names of all registered file formats."""
    return f"Supported: {', '.join(_TRAITS)}."
