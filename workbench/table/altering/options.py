"""Which options of a table may change (Java ``SchemaManager.checkAlterTableOption``)."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.errors import InvalidSchema
from workbench.format.core_options import CoreOptions
from workbench.format.option_catalogue import find_option
from workbench.format.option_checks import check_user_option
from workbench.format.option_values import option_text
from workbench.format.schema import TableSchema

KEY_OPTIONS = ("primary-key", "partition")
_ONE_WAY = ("ignore-delete", "ignore-update-before")


def with_option(
    old: TableSchema, options: Mapping[str, str], key: str, value: object, *, filled: bool
) -> dict[str, str]:
    """``options`` with one set; ``old`` is what the table was, ``filled`` whether it has a snapshot.

    Raises:
        UnknownOption: nobody knows the option.
        InvalidSchema: it cannot have that value, or cannot change any more.
    """
    text = option_text(key, value)
    check_user_option(key, text)
    if _says_what_is_so(old, key, text):
        return dict(options)
    _check_change(old, key, text, filled)
    return {**options, key: text}


def without_option(old: TableSchema, options: Mapping[str, str], key: str, *, filled: bool) -> dict[str, str]:
    """``options`` with one back at its default; one that is not set is no error. Raises InvalidSchema as
    `with_option`."""
    if filled and key == "bucket":
        raise InvalidSchema("Option 'bucket' cannot be removed once the table has a snapshot.", "Set another number.")
    _check_change(old, key, None, filled)
    return {name: text for name, text in options.items() if name != key}


def _says_what_is_so(old: TableSchema, key: str, text: str) -> bool:
    """Whether the option has that value already; keys may be stored outside of the options."""
    if key == "type":
        return text.strip().lower() == str(old.core.value("type"))
    if key in KEY_OPTIONS and key not in old.options:
        names = tuple(each.strip() for each in text.split(",") if each.strip())
        return names == (old.primary_keys if key == "primary-key" else old.partition_keys)
    return old.options.get(key) == text


def _check_change(old: TableSchema, key: str, text: str | None, filled: bool) -> None:
    option = find_option(key)
    if key == "type":
        raise InvalidSchema("Option 'type' cannot change.", "Create another table.")
    if key == "path":
        raise InvalidSchema("Option 'path' cannot change.", "rename_table moves a table.")
    if not filled:
        return
    if option is not None and option.immutable:
        raise InvalidSchema(f"Option '{option.name}' cannot change once the table has a snapshot.")
    after = CoreOptions({**{name: each for name, each in old.options.items() if name != key}, **_set(key, text)})
    if key == "bucket":
        _check_bucket(old.core.bucket, after.bucket)
    _check_deletion_vectors(old.core, after)
    for name in _ONE_WAY:
        if old.core.value(name) and not after.value(name):
            raise InvalidSchema(f"Option '{name}' cannot change from true to false once the table has a snapshot.")
    if key == "clustering.columns" and "pk-clustering-override" in old.options:
        raise InvalidSchema("Option 'clustering.columns' cannot change where 'pk-clustering-override' is set.")


def _set(key: str, text: str | None) -> dict[str, str]:
    return {} if text is None else {key: text}


def _check_bucket(before: int, after: int) -> None:
    if -1 in (before, after) and before != after:
        raise InvalidSchema(
            f"Option 'bucket' cannot change from {before} to {after} once the table has a snapshot.",
            "Buckets stay open (-1) or stay numbered.",
        )


def _check_deletion_vectors(before: CoreOptions, after: CoreOptions) -> None:
    changes = before.deletion_vectors_enabled != after.deletion_vectors_enabled
    if changes and not before.value("deletion-vectors.modifiable"):
        raise InvalidSchema(
            "Option 'deletion-vectors.enabled' cannot change once the table has a snapshot: rows could show twice.",
            "If the table was compacted in full, set 'deletion-vectors.modifiable' to 'true' first.",
        )
