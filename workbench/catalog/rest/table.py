"""A table of a REST service as plain values, by which tasks in other processes find it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.catalog.rest.api import RestApi, api_for
from workbench.format.spec import paths

Json = dict[str, Any]
DATA_TOKENS = "data-token.enabled"


@dataclass(frozen=True)
class RestTable:
    """A table of a service. It is pickled, so that it must consist of plain values."""

    options: Mapping[str, str] = field(repr=False)
    """The merged options of the catalog, which contain its credentials."""

    database: str
    """The name of its database."""

    name: str
    """Its name."""

    uuid: str
    """Its id, which no other table gets."""

    is_external: bool = False
    """Whether the service only knows where it is: its snapshots are files alone, as in Java."""

    @property
    def api(self) -> RestApi:
        """The operations of the service."""
        return api_for(self.options)

    @property
    def has_tokens(self) -> bool:
        """Whether the service gives credentials for its files."""
        return not self.is_external and self.options.get(DATA_TOKENS, "false").strip().lower() == "true"

    def object_of(self, branch: str) -> str:
        """Return the name of a branch in the service."""
        return self.name if branch == paths.MAIN_BRANCH else f"{self.name}$branch_{branch}"
