"""The clause ``FILE_FORMAT = (TYPE = …)`` of COPY INTO: which options a format has, and what Spark calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.base.errors import InvalidRequest, did_you_mean

_TYPE, _COMPRESSION = "TYPE", "COMPRESSION"
_NULL_IF, _EMPTY_AS_NULL, _SKIP_HEADER = "NULL_IF", "EMPTY_FIELD_AS_NULL", "SKIP_HEADER"
_TEXT = {_COMPRESSION: "compression"}
_CSV = {**_TEXT, "FIELD_DELIMITER": "sep", "QUOTE": "quote", "ESCAPE": "escape"}
# Spark's name of each option, by format. Options without such a name concern the values of columns.
_OF_LOADS: Mapping[str, Mapping[str, str | None]] = {
    "CSV": {**_CSV, _SKIP_HEADER: "header", _NULL_IF: None, _EMPTY_AS_NULL: None},
    "JSON": {**_TEXT, "MULTI_LINE": "multiLine", _NULL_IF: None, _EMPTY_AS_NULL: None},
    "PARQUET": _TEXT,
}
_OF_EXPORTS: Mapping[str, Mapping[str, str | None]] = {
    "CSV": {**_CSV, "HEADER": "header"},
    "JSON": {**_TEXT, "DATE_FORMAT": "dateFormat", "TIMESTAMP_FORMAT": "timestampFormat"},
    "PARQUET": _TEXT,
}


@dataclass(frozen=True)
class FileFormat:
    """The format of the files of COPY INTO.

    ``options`` are the options of Spark's reader or writer. ``nulls`` are the strings that mean NULL.
    """

    name: str
    options: Mapping[str, str]
    nulls: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether the files contain strings, which are converted to the table's types."""
        return self.name != "PARQUET"


def format_to_load(given: Mapping[str, str | tuple[str, ...]]) -> FileFormat:
    """Return the format of files to load.

    Raises:
        InvalidRequest: If the type is missing, or an option or its value is unknown.
    """
    name = _type_of(given)
    options = _spark_options(name, given, _OF_LOADS[name], "load")
    if _SKIP_HEADER in given:
        skipped = str(given[_SKIP_HEADER])
        if skipped not in ("0", "1"):
            raise InvalidRequest(f"{_SKIP_HEADER} = {skipped} is not supported.", "Write 0 or 1.")
        options["header"] = "true" if skipped == "1" else "false"
    nulls = given.get(_NULL_IF, ())
    empty = ("",) if str(given.get(_EMPTY_AS_NULL, "false")).lower() == "true" else ()
    return FileFormat(name, options, (*((nulls,) if isinstance(nulls, str) else nulls), *empty))


def format_to_write(given: Mapping[str, str | tuple[str, ...]]) -> FileFormat:
    """Return the format of files to write.

    Raises:
        InvalidRequest: If the type is missing, or an option is unknown.
    """
    name = _type_of(given)
    return FileFormat(name, _spark_options(name, given, _OF_EXPORTS[name], "write"))


def _type_of(given: Mapping[str, str | tuple[str, ...]]) -> str:
    if _TYPE not in given:
        raise InvalidRequest("FILE_FORMAT has no TYPE.", "Write FILE_FORMAT = (TYPE = CSV).")
    name = str(given[_TYPE]).upper()
    if name not in _OF_LOADS:
        raise InvalidRequest(f"Files of the type {name} are not supported.", f"Use {', '.join(_OF_LOADS)}.")
    return name


def _spark_options(
    name: str, given: Mapping[str, str | tuple[str, ...]], known: Mapping[str, str | None], verb: str
) -> dict[str, str]:
    for key in given:
        if key != _TYPE and key not in known:
            raise InvalidRequest(
                f"FILE_FORMAT has no option {key} to {verb} {name} files.",
                did_you_mean(key, known) or f"Options: {', '.join(known)}.",
            )
    return {spark: str(given[key]) for key, spark in known.items() if spark is not None and key in given}
