"""Registry of the formats in which data files are read and written, by name."""

from __future__ import annotations

from workbench.base.errors import Unsupported
from workbench.datafile.file_format import FileFormat
from workbench.datafile.formats.avro import AVRO
from workbench.datafile.formats.orc import ORC
from workbench.datafile.formats.parquet import PARQUET
from workbench.format.file_formats.registry import register_traits, supported_formats

_FORMATS = {each.traits.name: each for each in (PARQUET, ORC, AVRO)}


def register_file_format(file_format: FileFormat) -> None:
    """Register a file format, so that tables can use it.

    The registration holds for the process. Each process that reads or writes such files has to register the format,
    Spark's Python workers included.

    Raises:
        AlreadyExists: A format of that name is registered.
        InvalidRequest: The name cannot be the extension of a file name.
    """
    register_traits(file_format.traits)
    _FORMATS[file_format.traits.name] = file_format


def find_file_format(name: str, subject: str) -> FileFormat:
    """Return the registered format of that name.

    Args:
        name: The name of the format.
        subject: What has this format, for the error message.

    Raises:
        Unsupported: No such format is registered.
    """
    file_format = _FORMATS.get(name)
    if file_format is None:
        raise Unsupported(f"{subject} has the file format '{name}', which is not supported.", supported_formats())
    return file_format
