"""Checks of options that users set, of the options of stored tables, and of whether this library supports a table."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

from workbench.base.checkers import with_article
from workbench.base.errors import UnknownOption, Unsupported, did_you_mean
from workbench.format.options.catalog import Option, find_option, may_be_custom_option, similar_names
from workbench.format.options.merge_engine import ExistingProcessor
from workbench.format.options.support import Support
from workbench.format.options.values import option_text, parse_option
from workbench.format.spec.table_kind import BucketMode
from workbench.format.types import holds
from workbench.metadata.definition.file_formats import check_file_formats

if TYPE_CHECKING:
    from workbench.format.spec.schema import TableSchema


def check_user_options(options: Mapping[str, object]) -> None:
    """Check for misspelled options, invalid values, and options that contradict each other.

    A user's own property, such as ``owner.team``, is not checked: Paimon keeps it.

    Raises:
        UnknownOption: If an option does not exist; the message suggests the most similar name.
        InvalidSchema: If a value is invalid; the message names option, value and allowed values.
    """
    # Loaded here, as reads do not set options.
    from workbench.metadata.definition.schema_rules import check_option_rules

    for name, value in options.items():
        check_user_option(name, value)
    check_option_rules({name: option_text(name, value) for name, value in options.items()})


def check_user_option(name: str, value: object) -> None:
    """Check one option as `check_user_options` does.

    Raises:
        UnknownOption: If the option does not exist.
        InvalidSchema: If the value is invalid.
    """
    option, text = find_option(name), option_text(name, value)
    if option is not None:
        parse_option(name, option.kind, text)
    elif not may_be_custom_option(name):
        raise UnknownOption(f"There is no option '{name}'.", did_you_mean(name, similar_names(name)))


def stored_option_warnings(options: Mapping[str, str]) -> list[str]:
    """Return a warning for each option of a stored table that looks misspelled. Such an option is kept; users' own
    properties are kept without a warning.
    """
    warnings = []
    for name in options:
        if find_option(name) is None and not may_be_custom_option(name):
            hint = did_you_mean(name, similar_names(name))
            warnings.append(f"The table has the unknown option '{name}'.{f' {hint}' if hint else ''}")
    return warnings


def check_supported(schema: TableSchema, *, for_write: bool, answered: Container[str] = ()) -> None:
    """Check that this library supports the options of a table that change the meaning of its data.

    ``answered`` are options that the caller has checked itself.

    Raises:
        Unsupported: If an option is not supported; the message names it and its value.
        InvalidSchema: If such an option has an invalid value.
    """
    for name, text in schema.options.items():
        option = find_option(name)
        if option is None or option.support is None or option.name in answered:
            continue
        if _concerns(option.support, schema):
            _check_value(option, option.support, name, text, for_write)
    # Raises Unsupported for an unknown engine.
    _ = schema.kind.merge_engine
    check_file_formats(schema.core, _doing(for_write), for_write=for_write)
    _check_bucket_mode(schema, for_write)
    _check_row_tracking(schema, for_write)
    if for_write:
        _check_large_objects(schema)


def _concerns(support: Support, schema: TableSchema) -> bool:
    return support.only is None or support.only == schema.kind.name


def _check_value(option: Option, support: Support, name: str, text: str, for_write: bool) -> None:
    values = support.write if for_write else support.read
    if values is None:
        return
    spelled = parse_option(name, option.kind, text)
    if option_text(name, spelled) in values or not text.strip():
        return
    hint = f"Supported: {', '.join(values)}." if values else "Only tables without this option are supported."
    raise Unsupported(f"{_doing(for_write)} a table with option '{name}' = '{text}' is not supported.", hint)


def _check_row_tracking(schema: TableSchema, for_write: bool) -> None:
    """Check row tracking, which only tables without a primary key support."""
    for name in schema.kind.refused_options:
        if schema.core.value(name):
            what = f"a {schema.kind.name} table with option '{name}' = 'true'"
            raise Unsupported(f"{_doing(for_write)} {what} is not supported.")


def _check_large_objects(schema: TableSchema) -> None:
    """Refuse columns of type BLOB: their objects are stored in separate files, which can only be read."""
    for each in schema.fields:
        if holds(each.type, "BLOB"):
            raise Unsupported(f"Writing a table with column '{each.name}' of type {each.type} is not supported.")


def _check_bucket_mode(schema: TableSchema, for_write: bool) -> None:
    bucket = schema.core.bucket
    if for_write and schema.kind.bucket_mode is BucketMode.KEY_DYNAMIC:
        _check_moving_keys(schema)
    if bucket < 1 and bucket not in schema.kind.special_buckets:
        title = with_article(f"{schema.kind.name} table")
        raise Unsupported(f"{_doing(for_write)} {title} with option 'bucket' = '{bucket}' is not supported.")


def _check_moving_keys(schema: TableSchema) -> None:
    """Refuse a table in which a key that moves to another partition would not be deleted from the old one."""
    core = schema.core
    if core.engine.existing_processor is ExistingProcessor.DELETE and core.value("ignore-delete"):
        raise Unsupported(
            "Writing a table with option 'ignore-delete' = 'true' whose primary key lacks partition columns is not "
            "supported: a key that moves would stay in its old partition too."
        )


def _doing(for_write: bool) -> str:
    return "Writing" if for_write else "Reading"
