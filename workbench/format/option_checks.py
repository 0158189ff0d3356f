"""What is allowed: options that users set, options that a stored table carries, tables that this library can handle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.base.errors import InvalidSchema, UnknownOption, Unsupported, did_you_mean
from workbench.format.core_options import CoreOptions
from workbench.format.option_catalogue import OPTIONS, Option, find_option, known_names
from workbench.format.option_support import Support
from workbench.format.option_values import option_text, parse_option

if TYPE_CHECKING:
    from workbench.format.schema import TableSchema


def check_user_options(options: Mapping[str, object]) -> None:
    """Refuse options that nobody knows and values that they cannot take.

    Raises:
        UnknownOption: the message names the nearest option that exists.
        InvalidSchema: the message names option, value and what is allowed.
    """
    for name, value in options.items():
        option = find_option(name)
        if option is None:
            raise UnknownOption(f"There is no option '{name}'.", did_you_mean(name, known_names()))
        parse_option(name, option.kind, option_text(name, value))
    _check_pairs({name: option_text(name, value) for name, value in options.items()})


def _check_pairs(options: Mapping[str, str]) -> None:
    core = CoreOptions(options)
    for kind in ("snapshot", "changelog"):
        least, most = f"{kind}.num-retained.min", f"{kind}.num-retained.max"
        low, high = getattr(core, f"{kind}_num_retained_min"), getattr(core, f"{kind}_num_retained_max")
        if (least in options or most in options) and low > high:
            raise InvalidSchema(f"Option '{least}' is {low}, more than '{most}', which is {high}.")


def stored_option_warnings(options: Mapping[str, str]) -> list[str]:
    """A sentence for each option of a stored table that the catalogue does not know; these are kept as they are."""
    warnings = []
    for name in options:
        if find_option(name) is None:
            hint = did_you_mean(name, known_names())
            warnings.append(f"The table carries the unknown option '{name}'.{f' {hint}' if hint else ''}")
    return warnings


def check_supported(schema: TableSchema, *, for_write: bool) -> None:
    """Refuse a table whose options mean something for its data that this library does not do.

    Raises:
        Unsupported: the message names the option and its value.
        InvalidSchema: such an option has a value that cannot be understood.
    """
    for name, text in schema.options.items():
        option = find_option(name)
        if option is not None and option.support is not None and _concerns(option.support, schema):
            _check_value(option, option.support, name, text, for_write)
    _check_formats_per_level(schema.core, for_write)
    _check_bucket_mode(schema, for_write)


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
    if bucket > 0:
        return
    doing = _doing(for_write)
    if schema.is_primary_key_table and bucket == -1 and not for_write:
        # Which bucket a row lies in matters to its writer only; the hash index is not needed to read.
        return
    if schema.is_primary_key_table:
        mode = {-1: "dynamic buckets", -2: "postponed buckets"}.get(bucket, "no buckets")
        raise Unsupported(
            f"{doing} a primary-key table with {mode}, option 'bucket' = '{bucket}', is not supported.",
            "Give 'bucket' a number greater than 0.",
        )
    if bucket != -1:
        raise Unsupported(f"{doing} an append table with option 'bucket' = '{bucket}' is not supported.")


def _doing(for_write: bool) -> str:
    return "Writing" if for_write else "Reading"
