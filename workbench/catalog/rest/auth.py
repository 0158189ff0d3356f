"""How requests to a REST service prove who sends them: a provider for each value of option ``token.provider``."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, cast

from workbench.base.errors import CatalogError, did_you_mean
from workbench.base.secrets import SecretText


@dataclass(frozen=True)
class Request:
    """A request before it is sent. ``path`` is percent-encoded; ``query`` is not."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: str | None = field(default=None, repr=False)


class AuthProvider(Protocol):
    """Provides the headers by which the service recognizes the sender of a request."""

    def headers(self, request: Request) -> Mapping[str, str]:
        """Return the headers for a request."""
        ...


class BearerTokens(AuthProvider):
    """Sends the same token with each request."""

    def __init__(self, token: str) -> None:
        self._token = token

    def headers(self, request: Request) -> Mapping[str, str]:  # noqa: ARG002
        """Return the header with the token."""
        return {"Authorization": SecretText(f"Bearer {self._token}")}


AuthFactory = Callable[[Mapping[str, str]], AuthProvider]


def auth_for(options: Mapping[str, str]) -> AuthProvider:
    """Return the provider that the options of a catalog select.

    Raises:
        CatalogError: There is no provider of that name, none is selected, or an option that it needs is missing.
    """
    name = options.get("token.provider")
    if name is None:
        raise CatalogError(
            "A catalog of kind rest requires option 'token.provider'.", f"Set it to one of {', '.join(_PROVIDERS)}."
        )
    if name not in _PROVIDERS:
        known = f"Known are: {', '.join(_PROVIDERS)}."
        raise CatalogError(f"There is no token provider '{name}'.", did_you_mean(name, _PROVIDERS) or known)
    return _PROVIDERS[name](options)


def required(options: Mapping[str, str], name: str) -> str:
    """Return the value of an option. Raises CatalogError if it is not set."""
    if not options.get(name):
        raise CatalogError(f"A catalog of kind rest requires option '{name}'.", "Set it, and open the catalog again.")
    return options[name]


def _bearer(options: Mapping[str, str]) -> AuthProvider:
    # A token that is read from a file often ends with a line break, which no header can contain.
    return BearerTokens(required(options, "token").strip())


def _dlf(options: Mapping[str, str]) -> AuthProvider:
    # Loaded here: most services use bearer tokens.
    return cast("AuthProvider", importlib.import_module("workbench.catalog.rest.dlf").dlf_provider(options))


_PROVIDERS: dict[str, AuthFactory] = {"bear": _bearer, "dlf": _dlf}
