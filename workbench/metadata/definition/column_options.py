"""Options that name columns: the columns must exist, and renaming a column renames them in the options (format
§3.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidSchema, did_you_mean

if TYPE_CHECKING:
    from workbench.format.spec.schema import TableSchema

_FIELDS = "fields."
_LISTS = ("bucket-key", "sequence.field")
_SETTINGS = (
    "aggregate-function",
    "ignore-retract",
    "distinct",
    "list-agg-delimiter",
    "map.storage-layout",
    "map.shared-shredding.max-columns",
    "map.shared-shredding.column-placement-policy",
)
_LISTING_SETTINGS = ("sequence-group", "nested-key")
_TIME_TYPES = ("INT", "BIGINT", "TIMESTAMP", "TIMESTAMP_LTZ")


def renamed_in_options(options: Mapping[str, str], old: str, new: str) -> dict[str, str]:
    """Return the options after a column was renamed. As in Java, only some options that name columns are adapted; all
    others keep the old name.
    """
    return dict(_renamed_option(name, text, old, new) for name, text in options.items())


def without_map_layout(options: Mapping[str, str], column: str) -> dict[str, str]:
    """Return the options after a MAP column was dropped, without the option for its layout."""
    return {name: text for name, text in options.items() if not name.startswith(f"{_FIELDS}{column}.map.")}


def check_column_options(schema: TableSchema) -> None:
    """Check that the columns that options name exist (Java ``SchemaValidation``).

    Raises:
        InvalidSchema: A column does not exist; the message names the option and the column.
    """
    for option, column in _named_columns(schema.options):
        if column not in schema.field_names:
            raise InvalidSchema(
                f"Option '{option}' names '{column}', which is not a column.",
                did_you_mean(column, schema.field_names) or "Change the option first.",
            )
    sequence = schema.core.names("sequence.field")
    for position, name in enumerate(sequence):
        if name in sequence[:position]:
            raise InvalidSchema(f"Column '{name}' occurs twice in option 'sequence.field'.")
    time_field = schema.core.text("record-level.time-field")
    if time_field and schema.field(time_field).type.root not in _TIME_TYPES:
        data_type = schema.field(time_field).type
        raise InvalidSchema(
            f"Column '{time_field}' of option 'record-level.time-field' has type {data_type}.",
            "Use a column of type INT, BIGINT or TIMESTAMP.",
        )


def _renamed_option(name: str, text: str, old: str, new: str) -> tuple[str, str]:
    if name in _LISTS:
        return name, _renamed_list(text, old, new)
    if name in {f"{_FIELDS}{old}.{setting}" for setting in _SETTINGS}:
        return f"{_FIELDS}{new}{name[len(_FIELDS) + len(old) :]}", text
    setting = next((each for each in _LISTING_SETTINGS if name.endswith(f".{each}")), None)
    if name.startswith(_FIELDS) and setting is not None:
        columns = name[len(_FIELDS) : -len(setting) - 1]
        return f"{_FIELDS}{_renamed_list(columns, old, new)}.{setting}", _renamed_list(text, old, new)
    return name, text


def _renamed_list(text: str, old: str, new: str) -> str:
    return ",".join(new if each.strip() == old else each for each in text.split(","))


def _named_columns(options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, text in options.items():
        if name.startswith(_FIELDS):
            columns = name.split(".")[1]
            if columns != "default-aggregate-function":
                yield from ((name, each) for each in columns.split(","))
        elif name in ("sequence.field", "rowkind.field", "record-level.time-field"):
            yield from ((name, each.strip()) for each in text.split(",") if each.strip())
        elif name.startswith("file-index.") and name.endswith(".columns"):
            yield from ((name, each.partition("[")[0].strip()) for each in text.split(",") if each.strip())
