"""Options as they are shown, without secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.base.secrets import HIDDEN, names_a_secret, without_credentials
from workbench.format.options.catalog import known_names


@dataclass(frozen=True)
class OptionValue:
    """An option without secrets."""

    key: str
    value: str


def shown_option(key: str, value: str) -> str:
    """Return the value of an option, hidden if its name indicates a secret.

    Paimon's own table options, such as ``bucket-key``, contain none.
    """
    harmless = key in known_names() or key.startswith("fields.")
    return HIDDEN if names_a_secret(key) and not harmless else without_credentials(value)


def describe_options(options: Mapping[str, str]) -> tuple[OptionValue, ...]:
    """Return options sorted by name, without secrets."""
    return tuple(OptionValue(key, shown_option(key, options[key])) for key in sorted(options))
