"""What is allowed: options that users set, options that a stored table carries, tables that this library can handle."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidSchema, UnknownOption, Unsupported, did_you_mean
from workbench.format.core_options import CoreOptions
from workbench.format.option_catalogue import OPTIONS, Option, find_option, known_names
from workbench.format.option_support import Support
from workbench.format.option_values import option_text, parse_option
from workbench.format.paths import POSTPONE_BUCKET
from workbench.format.types import holds

if TYPE_CHECKING:
    from workbench.format.schema import TableSchema


def check_user_options(options: Mapping[str, object]) -> None:
    """Refuse options that nobody knows, values that they cannot take, and options that contradict each other.

    Raises:
        UnknownOption: the message names the nearest option that exists.
        InvalidSchema: the message names option, value and what is allowed.
    """
    for name, value in options.items():
        check_user_option(name, value)
    check_option_pairs({name: option_text(name, value) for name, value in options.items()})


def check_user_option(name: str, value: object) -> None:
    """Refuse an option that nobody knows, or a value that it cannot take. Raises as `check_user_options`."""
    option = find_option(name)
    if option is None:
        raise UnknownOption(f"There is no option '{name}'.", did_you_mean(name, known_names()))
    parse_option(name, option.kind, option_text(name, value))


def check_option_pairs(options: Mapping[str, str]) -> None:
    """Refuse options that contradict each other. Raises InvalidSchema naming both."""
    core = CoreOptions(options)
    for kind in ("snapshot", "changelog"):
        least, most = f"{kind}.num-retained.min", f"{kind}.num-retained.max"
        low, high = getattr(core, f"{kind}_num_retained_min"), getattr(core, f"{kind}_num_retained_max")
        if (least in options or most in options) and low > high:
            raise InvalidSchema(f"Option '{least}' is {low}, more than '{most}', which is {high}.")
    if core.num_levels < 2:
        raise InvalidSchema(f"Option 'num-levels' cannot be {core.num_levels}.", "A tree needs at least 2 levels.")
    _check_order_of_rows(core)
    _check_deleted_rows(core)
    _check_vectors_and_changelog(core)


def _check_order_of_rows(core: CoreOptions) -> None:
    """What tells which row of a key is newer must be one thing (Java ``SchemaValidation``)."""
    if core.sequence_snapshot_ordering:
        name = "sequence.snapshot-ordering"
        if core.sequence_field:
            raise InvalidSchema(f"Options '{name}' and 'sequence.field' cannot both be set.", "Remove one of them.")
        if not core.write_only:
            raise InvalidSchema(
                f"Option '{name}' needs 'write-only' = 'true': rows have their order from the commit, and a write that "
                "compacts does so before it."
            )
    if core.merge_engine == "first-row":
        if core.sequence_field:
            raise InvalidSchema("A table with 'merge-engine' = 'first-row' cannot have option 'sequence.field'.")
        if core.changelog_producer not in ("none", "lookup"):
            raise InvalidSchema(
                f"A table with 'merge-engine' = 'first-row' cannot have 'changelog-producer' = "
                f"'{core.changelog_producer}'.",
                "Use 'none' or 'lookup'.",
            )


def _check_deleted_rows(core: CoreOptions) -> None:
    """What a deleted row does must be one thing (Java ``PartialUpdateMergeFunction``, ``FieldAggregatorFactory``)."""
    ignored = [name for name in core.options if name.startswith("fields.") and name.endswith(".ignore-retract")]
    contradictions: list[tuple[str, str]] = []
    if core.merge_engine in ("partial-update", "aggregation") and core.aggregation_remove_record_on_delete:
        removes = "aggregation.remove-record-on-delete"
        contradictions += [(removes, name) for name in ignored if core.options[name].strip().lower() == "true"]
    if core.merge_engine == "partial-update":
        whole, group = "partial-update.remove-record-on-delete", "partial-update.remove-record-on-sequence-group"
        if core.ignore_delete:
            contradictions += [(name, "ignore-delete") for name in (whole, group) if _is_set(core, name)]
        if core.sequence_groups and _is_set(core, whole):
            contradictions.append((whole, f"fields.{','.join(next(iter(core.sequence_groups)))}.sequence-group"))
    for one, other in contradictions:
        raise InvalidSchema(f"Options '{one}' and '{other}' cannot both be set.", "Remove one of them.")


def _is_set(core: CoreOptions, name: str) -> bool:
    return bool(core.value(name))


def _check_vectors_and_changelog(core: CoreOptions) -> None:
    """What compaction tells, and what it marks, must go together (Java ``SchemaValidation``)."""
    if core.deletion_vectors_enabled and core.merge_engine == "first-row":
        raise InvalidSchema(
            "A table with 'merge-engine' = 'first-row' cannot have 'deletion-vectors.enabled' = 'true'.",
            "It needs none: its rows never change.",
        )
    if core.deletion_vectors_enabled and core.changelog_producer == "full-compaction":
        raise InvalidSchema(
            "A table with 'deletion-vectors.enabled' = 'true' cannot have 'changelog-producer' = 'full-compaction'.",
            "Use 'lookup'.",
        )
    if core.changelog_producer == "lookup" and core.full_compaction_delta_commits is not None:
        raise InvalidSchema(
            "Options 'full-compaction.delta-commits' and 'changelog-producer' = 'lookup' cannot both be set.",
            "Use 'changelog-producer' = 'full-compaction'.",
        )


def stored_option_warnings(options: Mapping[str, str]) -> list[str]:
    """A sentence for each option of a stored table that the catalogue does not know; these are kept as they are."""
    warnings = []
    for name in options:
        if find_option(name) is None:
            hint = did_you_mean(name, known_names())
            warnings.append(f"The table carries the unknown option '{name}'.{f' {hint}' if hint else ''}")
    return warnings


def check_supported(schema: TableSchema, *, for_write: bool, answered: Container[str] = ()) -> None:
    """Refuse a table whose options mean something for its data that this library does not do.

    ``answered``: options that the caller has looked at itself.

    Raises:
        Unsupported: the message names the option and its value.
        InvalidSchema: such an option has a value that cannot be understood.
    """
    for name, text in schema.options.items():
        option = find_option(name)
        if option is None or option.support is None or option.name in answered:
            continue
        if _concerns(option.support, schema):
            _check_value(option, option.support, name, text, for_write)
    _check_formats_per_level(schema.core, for_write)
    _check_bucket_mode(schema, for_write)
    _check_row_tracking(schema, for_write)
    if for_write:
        _check_large_objects(schema)


def _concerns(support: Support, schema: TableSchema) -> bool:
    return support.only is None or (support.only == "key") == schema.is_primary_key_table


def _check_value(option: Option, support: Support, name: str, text: str, for_write: bool) -> None:
    values = support.write if for_write else support.read
    if values is None:
        return
    spelled = parse_option(name, option.kind, text)
    if option_text(name, spelled) in values or not text.strip():
        return
    hint = f"Supported: {', '.join(values)}." if values else "It is supported only where it is not set."
    raise Unsupported(f"{_doing(for_write)} a table with option '{name}' = '{text}' is not supported.", hint)


def _check_row_tracking(schema: TableSchema, for_write: bool) -> None:
    """Only tables without a key can track their rows."""
    for name in ("row-tracking.enabled", "data-evolution.enabled"):
        if schema.is_primary_key_table and schema.core.value(name):
            what = f"a primary-key table with option '{name}' = 'true'"
            raise Unsupported(f"{_doing(for_write)} {what} is not supported.")


def _check_large_objects(schema: TableSchema) -> None:
    """Columns of BLOB hold references, and their objects lie in files of their own, which are only read here."""
    for each in schema.fields:
        if holds(each.type, "BLOB"):
            raise Unsupported(f"Writing a table with column '{each.name}' of type {each.type} is not supported.")


def _check_formats_per_level(core: CoreOptions, for_write: bool) -> None:
    name = "file.format.per.level"
    text = core.text(name)
    support = OPTIONS["file.format"].support
    supported = None if support is None else support.write if for_write else support.read
    for found in (core.value(name) or {}).values():
        if supported is not None and found.lower() not in supported:
            hint = f"Supported: {', '.join(supported)}."
            raise Unsupported(f"{_doing(for_write)} a table with option '{name}' = '{text}' is not supported.", hint)


def _check_bucket_mode(schema: TableSchema, for_write: bool) -> None:
    bucket = schema.core.bucket
    if schema.is_primary_key_table and for_write and bucket == -1:
        _check_moving_keys(schema)
    if bucket < 1 and bucket not in ((-1, POSTPONE_BUCKET) if schema.is_primary_key_table else (-1,)):
        kind = "a primary-key" if schema.is_primary_key_table else "an append"
        raise Unsupported(f"{_doing(for_write)} {kind} table with option 'bucket' = '{bucket}' is not supported.")


def _check_moving_keys(schema: TableSchema) -> None:
    """A key that may change its partition is deleted in the old one."""
    core = schema.core
    crosses = not set(schema.partition_keys) <= set(schema.primary_keys)
    if crosses and core.merge_engine == "deduplicate" and core.value("ignore-delete"):
        raise Unsupported(
            "Writing a table with option 'ignore-delete' = 'true' whose primary key lacks partition columns is not "
            "supported: a key that moves would stay in its old partition too."
        )


def _doing(for_write: bool) -> str:
    return "Writing" if for_write else "Reading"
