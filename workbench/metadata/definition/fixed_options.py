"""The options that are fixed for a table: no read, write, call or session can change them (Java
``FileStoreTable.copy``)."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.errors import InvalidRequest
from workbench.format.options.catalog import OPTIONS, find_option
from workbench.format.options.core_options import CoreOptions
from workbench.format.spec.schema import TableSchema

KEY_OPTIONS = ("primary-key", "partition")
"""The options that define the keys of a new table, which its schema then stores instead of the options."""
ONE_WAY_OPTIONS = ("ignore-delete", "ignore-update-before")
"""The options that can be enabled for a table, but never disabled."""
_DEFAULT_HINT = "Set it in TBLPROPERTIES of new tables."


def check_fixed_options(
    schema: TableSchema, given: Mapping[str, str], holder: str = "a read or write", hint: str = _DEFAULT_HINT
) -> None:
    """Check that temporary options, such as those of one read, do not change what is fixed for a table.

    Args:
        schema: The table.
        given: The temporary options.
        holder: What the options are set for, for the error message.
        hint: What to do instead.

    Raises:
        InvalidRequest: A fixed option has a different value than in the table.
    """
    for name, text in given.items():
        option = find_option(name)
        known = name if option is None else option.name
        if is_fixed_option(known, schema.core, text) and not states_current_value(schema, known, text):
            raise InvalidRequest(f"Option '{name}' cannot be set for {holder}: it is fixed for a table.", hint)


def is_fixed_option(name: str, stored: CoreOptions | None = None, text: str | None = None) -> bool:
    """Return whether an option is fixed for a table, as are its keys and the location of its rows.

    Args:
        name: The name of the option.
        stored: The options of the table. A one-way option is fixed if it is enabled in them.
        text: The new value.
    """
    option = find_option(name)
    if option is None:
        return False
    if option.name in ONE_WAY_OPTIONS and stored is not None and text is not None:
        return bool(stored.value(option.name)) and not CoreOptions({option.name: text}).value(option.name)
    return option.immutable or option.determines_row_location or option.name == "bucket"


def states_current_value(schema: TableSchema, name: str, text: str) -> bool:
    """Return whether an option of a table already has the given value; keys may be stored outside the options."""
    if name == "type":
        return text.strip().lower() == str(schema.core.value("type"))
    if name in KEY_OPTIONS and name not in schema.options:
        names = tuple(each.strip() for each in text.split(",") if each.strip())
        return names == (schema.primary_keys if name == "primary-key" else schema.partition_keys)
    return (schema.core.text(name) if name in OPTIONS else schema.options.get(name)) == text
