"""Removing credentials: passwords in URLs, and the values of options with secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.base.secrets import HIDDEN, names_a_secret
from workbench.format.options.catalog import known_names

# Lengths are bounded to limit backtracking. A secret may contain slashes: it starts at a colon without a port.
_SCHEME, _SECRET_TEXT = r"\b[a-z][a-z0-9+.-]{0,30}://", r"(?:[^\s/]{1,500}|[^\s/@:]{1,200}:(?!\d+(?:/|$))\S{0,500})"
# Azure uses container@account where other URLs have user:password@host.
_AZURE = r"\b(?:abfss?|wasbs?)://"
_USER_INFO = re.compile(
    rf"(?:(?P<azure>{_AZURE})[^\s/@:]{{0,200}}:\S{{0,500}}|(?!{_AZURE})(?P<other>{_SCHEME}){_SECRET_TEXT})@",
    re.IGNORECASE,
)
_PARAMETER = re.compile(r"(?P<name>[?&;](?P<key>[^\s=&;?]+)=)[^\s&;]*")


@dataclass(frozen=True)
class OptionValue:
    """An option without secrets."""

    key: str
    value: str


def without_credentials(text: str) -> str:
    """Return a text with the user info of its URLs, and URL parameters with secrets, hidden."""
    shown = _USER_INFO.sub(lambda match: f"{match['azure'] or match['other']}{HIDDEN}@", text)
    return _PARAMETER.sub(lambda match: f"{match['name']}{HIDDEN}" if names_a_secret(match["key"]) else match[0], shown)


def shown_option(key: str, value: str) -> str:
    """Return the value of an option, hidden if its name indicates a secret.

    Paimon's own table options, such as ``bucket-key``, contain none.
    """
    harmless = key in known_names() or key.startswith("fields.")
    return HIDDEN if names_a_secret(key) and not harmless else without_credentials(value)


def describe_options(options: Mapping[str, str]) -> tuple[OptionValue, ...]:
    """Return options sorted by name, without secrets."""
    return tuple(OptionValue(key, shown_option(key, options[key])) for key in sorted(options))
