"""``…/tables/{table}/biography``: the stored versions of one row, and how a read merges them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from workbench.server.endpoint import Endpoint, Reading
from workbench.server.endpoints.paths import TABLE
from workbench.server.parameters import Parse, Text, check_length, json_object
from workbench.server.requests import VersionRequest

if TYPE_CHECKING:
    from workbench.server.catalog_cache import OpenCatalogs

# Each answer is limited to about this time: a client repeats its request until the biography is complete.
SECONDS = 1.0


def _key(name: str, text: Any) -> str:
    """Check that a text is a JSON object, and return it unchanged."""
    json_object(check_length(name, text))
    return str(text)


@dataclass(frozen=True)
class BiographyRequest(VersionRequest):
    """The row: its primary ``key``, a JSON object with a string for each column, or the condition ``where`` that
    selects it."""

    key: Annotated[str, Parse(_key)] | None = None
    where: Text | None = None


def _value() -> Any:
    from workbench.lens.biography.value import BiographyValue

    return BiographyValue


def _read(request: BiographyRequest, catalogs: OpenCatalogs) -> Reading:
    from workbench.lens.biography.collect import collect_biography

    shown = catalogs.version(request)
    key = None if request.key is None else json_object(request.key)
    # Without facts: while the biography is incomplete, the next answer differs although the version is the same.
    return Reading(lambda: collect_biography(shown, key, request.where, SECONDS, catalogs.progress))


BIOGRAPHY = Endpoint("biography", f"{TABLE}/biography", BiographyRequest, _value, _read)
