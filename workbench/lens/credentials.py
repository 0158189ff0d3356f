"""What must not be seen: passwords in addresses, and the values of options that hold secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.base.secrets import HIDDEN, names_a_secret
from workbench.format.option_catalogue import known_names

# Lengths are bounded, so that no text takes long. A secret may hold slashes: a colon without a port begins one.
_SCHEME, _SECRET_TEXT = r"\b[a-z][a-z0-9+.-]{0,30}://", r"(?:[^\s/]{1,500}|[^\s/@:]{1,200}:(?!\d+(?:/|$))\S{0,500})"
# Azure writes container@account where others write user:password@host.
_AZURE = r"\b(?:abfss?|wasbs?)://"
_USER_INFO = re.compile(
    rf"(?:(?P<azure>{_AZURE})[^\s/@:]{{0,200}}:\S{{0,500}}|(?!{_AZURE})(?P<other>{_SCHEME}){_SECRET_TEXT})@",
    re.IGNORECASE,
)
_PARAMETER = re.compile(r"(?P<name>[?&;](?P<key>[^\s=&;?]+)=)[^\s&;]*")


@dataclass(frozen=True)
class OptionValue:
    """An option as it may be shown."""

    key: str
    value: str


def without_credentials(text: str) -> str:
    """A location, or a sentence with locations in it: what stands before an ``@`` in an address, and parameters whose
    names speak of secrets, are hidden."""
    shown = _USER_INFO.sub(lambda found: f"{found['azure'] or found['other']}{HIDDEN}@", text)
    return _PARAMETER.sub(lambda found: f"{found['name']}{HIDDEN}" if names_a_secret(found["key"]) else found[0], shown)


def shown_option(key: str, value: str) -> str:
    """The value of an option, hidden where its name speaks of a secret. Options of tables that Paimon knows by name,
    such as ``bucket-key``, hold none."""
    harmless = key in known_names() or key.startswith("fields.")
    return HIDDEN if names_a_secret(key) and not harmless else without_credentials(value)


def tell_options(options: Mapping[str, str]) -> tuple[OptionValue, ...]:
    """Options by name, without what must not be seen."""
    return tuple(OptionValue(key, shown_option(key, options[key])) for key in sorted(options))
