"""Values of catalog options that are kept elsewhere: ``${env:NAME}`` and ``${keyring:service/user}``.

The options of a catalog file, of a form and of code keep the reference. It is replaced when the catalog is opened, in
the process that opens it: tasks on Spark executors get the values, because they have neither the environment nor the
keyring of the user.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

from workbench.base.errors import CatalogError
from workbench.base.secrets import REFERENCE, HiddenSecrets


def with_values(options: Mapping[str, str]) -> HiddenSecrets:
    """Return options with the values that their references stand for. They are printed with the references.

    Raises:
        CatalogError: A variable or an entry of the keyring does not exist, or the keyring cannot be read.

    Example:
        >>> with_values({"uri": "jdbc:mysql://db/paimon", "jdbc.password": "${env:DB_PASSWORD}"})
        {'uri': 'jdbc:mysql://db/paimon', 'jdbc.password': '${env:DB_PASSWORD}'}
    """
    references = {key: value for key, value in options.items() if REFERENCE.search(value)}
    values = {key: _replaced(key, text) for key, text in references.items()}
    return HiddenSecrets({**options, **values}, references)


def _replaced(option: str, text: str) -> str:
    def value(found: re.Match[str]) -> str:
        return _SOURCES[found["source"]](option, found["name"].strip())

    return REFERENCE.sub(value, text)


def _variable(option: str, name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise CatalogError(
            f"The option '{option}' refers to the environment variable '{name}', which is not set.",
            f"Set it before Jupyter or Python starts: export {name or 'NAME'}=…",
        )
    return value


def _keyring_entry(option: str, name: str) -> str:
    service, separator, user = name.partition("/")
    if not (service and separator and user):
        raise CatalogError(
            f"The option '{option}' refers to '{name}' in the keyring.", "Write ${keyring:service/user}."
        )
    try:
        import keyring
    except ImportError as error:
        raise CatalogError(
            f"The option '{option}' refers to the keyring, and the package keyring is not installed.",
            "Run: pip install 'paimon-workbench[keyring]'",
        ) from error
    try:
        value: str | None = keyring.get_password(service, user)
    except keyring.errors.KeyringError as error:
        raise CatalogError(
            f"The option '{option}' refers to the keyring, which cannot be read: {error}",
            "Unlock the keyring, or use ${env:NAME}.",
        ) from error
    if value is None:
        raise CatalogError(
            f"The option '{option}' refers to '{service}/{user}' in the keyring, which has no such entry.",
            f"Run: keyring set {service} {user}",
        )
    return value


_SOURCES: dict[str, Callable[[str, str], str]] = {"env": _variable, "keyring": _keyring_entry}
