"""Texts without secrets: passwords in URLs, and the values of options that hold secrets by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

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
    r"secret|passw|passphrase|credential|token|key|cookie|signature|\bsig\b|\bauth|\bsas\b|connection.?string",
    re.IGNORECASE,
)

REFERENCE = re.compile(r"\$\{(?P<source>env|keyring):(?P<name>[^{}]*)\}")
"""A reference to a value that is kept elsewhere, such as ``${env:S3_SECRET}``."""

# Shorter values are words such as `jdbc`, which messages contain for other reasons.
_SHORTEST_KEPT_OUT = 6
_kept_out: set[str] = set()


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


def keep_out_of_messages(secrets: Iterable[str]) -> None:
    """Let `without_secrets` hide these texts from now on."""
    # A line break at its end may be missing where a secret is repeated.
    _kept_out.update(each.strip() for each in secrets if len(each.strip()) >= _SHORTEST_KEPT_OUT)


def without_secrets(text: str) -> str:
    """Return a message without the secrets of all catalogs that this process has opened. Libraries and services repeat
    what they were given, so a message of theirs may contain any of them."""
    for secret in sorted(_kept_out, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return without_credentials(text)


class SecretText(str):
    """A secret that a library is given, which tracebacks with variables show as `HIDDEN`.

    Example:
        >>> {"password": SecretText("a8Wq")}
        {'password': '***'}
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(HIDDEN)


class HiddenSecrets(dict[str, str]):
    """Options of a catalog, which are printed without secrets.

    Args:
        options: The options, with the values that references stand for.
        references: The options whose values contain references, as they were written; None for those of ``options``.
        secret_names: The options that hold secrets; None for those of ``options``, or those whose names say so.

    Example:
        >>> print(HiddenSecrets({"s3.secret-key": "a8Wq"}))
        {'s3.secret-key': '***'}
    """

    def __init__(
        self,
        options: Mapping[str, str],
        references: Mapping[str, str] | None = None,
        secret_names: Iterable[str] | None = None,
    ) -> None:
        super().__init__(options)
        known: Mapping[str, str] = {}
        secret: Iterable[str] = {key for key in options if names_a_secret(key)}
        if isinstance(options, HiddenSecrets):
            known, secret = options.references, options.secret_names
        self.references: dict[str, str] = dict(known if references is None else references)
        self.secret_names: frozenset[str] = frozenset(secret if secret_names is None else secret_names)

    def shown(self) -> dict[str, str]:
        """Return the options without secrets, with the references that were written."""
        return {key: self._shown(key, self.references.get(key, value)) for key, value in self.items()}

    def __repr__(self) -> str:
        # Options of an open catalog that are passed on have its values, and no references.
        return without_secrets(repr(self.shown()))

    def _shown(self, key: str, written: str) -> str:
        # A reference says only where a secret is.
        is_secret = key in self.secret_names and REFERENCE.sub("", written).strip()
        return HIDDEN if is_secret else without_credentials(written)
