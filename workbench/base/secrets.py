"""Texts without secrets: passwords in URLs, and the values of options that hold secrets by their names."""

from __future__ import annotations

import re

HIDDEN = "***"
"""The text that replaces a secret."""

# Lengths are bounded to limit backtracking. A secret may contain slashes: it starts at a colon without a port.
_SCHEME, _SECRET_TEXT = r"\b[a-z][a-z0-9+.-]{0,30}://", r"(?:[^\s/]{1,500}|[^\s/@:]{1,200}:(?!\d+(?:/|$))\S{0,500})"
# Azure uses container@account where other URLs have user:password@host.
_AZURE = r"\b(?:abfss?|wasbs?)://"
_USER_INFO = re.compile(
    rf"(?:(?P<azure>{_AZURE})[^\s/@:]{{0,200}}:\S{{0,500}}|(?!{_AZURE})(?P<other>{_SCHEME}){_SECRET_TEXT})@",
    re.IGNORECASE,
)
_PARAMETER = re.compile(r"(?P<name>[?&;](?P<key>[^\s=&;?]+)=)[^\s&;]*")
_SECRET = re.compile(
    r"secret|passw|passphrase|credential|token|key|signature|\bsig\b|\bauth|\bsas\b|connection.?string", re.IGNORECASE
)


def names_a_secret(name: str) -> bool:
    """Return whether an option or a parameter of that name may hold a secret."""
    return _SECRET.search(name) is not None


def shown_value(name: str, value: str) -> str:
    """Return the value of an option, or `HIDDEN` if it may be a secret."""
    return HIDDEN if names_a_secret(name) else value


def without_credentials(text: str) -> str:
    """Return a text with the user info of its URLs, and URL parameters with secrets, hidden."""
    shown = _USER_INFO.sub(lambda match: f"{match['azure'] or match['other']}{HIDDEN}@", text)
    return _PARAMETER.sub(lambda match: f"{match['name']}{HIDDEN}" if names_a_secret(match["key"]) else match[0], shown)


class HiddenSecrets(dict[str, str]):
    """Options of a catalog, which are printed without secrets.

    Example:
        >>> print(HiddenSecrets({"s3.secret-key": "a8Wq"}))
        {'s3.secret-key': '***'}
    """

    def __repr__(self) -> str:
        return repr({key: without_credentials(shown_value(key, value)) for key, value in self.items()})
