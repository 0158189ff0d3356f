"""The typed requests of the endpoints: their common parts, and how one is parsed and sent to the worker."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from workbench.base.errors import InvalidRequest
from workbench.server.parameters import CatalogName, Name, Parse, SnapshotId, Text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Fields = TypeVar("Fields", bound="DataclassInstance")


@dataclass(frozen=True)
class NoParameters:
    """A request without parameters."""


@dataclass(frozen=True)
class CatalogRequest:
    """A request about a catalog."""

    catalog: CatalogName


@dataclass(frozen=True)
class DatabaseRequest(CatalogRequest):
    """A request about a database."""

    database: Name


@dataclass(frozen=True)
class TableRequest(DatabaseRequest):
    """A request about a table."""

    table: Name


@dataclass(frozen=True)
class VersionRequest(TableRequest):
    """A request about one version of a table: a snapshot, a tag, or the latest snapshot if neither is given."""

    snapshot: SnapshotId | None = None
    tag: Text | None = None

    def __post_init__(self) -> None:
        if self.snapshot is not None and self.tag is not None:
            raise InvalidRequest("'snapshot' and 'tag' cannot be combined.", "Pass one of the two.")


def parse_request(request_type: type[Fields], given: Mapping[str, Any]) -> Fields:
    """Return a request of type ``request_type`` with the values of a URL and a body.

    Raises:
        InvalidRequest: a value is missing or invalid.
    """
    values = {}
    parsers = _parsers(cast("Hashable", request_type))
    for field in fields(request_type):
        if field.name in given:
            values[field.name] = parsers[field.name](field.name, given[field.name])
        elif field.default is MISSING and field.default_factory is MISSING:
            raise InvalidRequest(f"'{field.name}' is required.")
    return request_type(**values)


def request_arguments(request: Any) -> dict[str, Any]:
    """Return the fields of a request as JSON values; ``type(request)(**arguments)`` restores it."""
    return asdict(request)


def field_names(request_type: type) -> tuple[str, ...]:
    """Return the names of the parameters of a request type."""
    return tuple(field.name for field in fields(request_type))


@cache
def _parsers(request_type: Any) -> dict[str, Callable[[str, Any], Any]]:
    hints = get_type_hints(request_type, include_extras=True)
    return {name: _parser(hints[name]) for name in field_names(request_type)}


def _parser(hint: Any) -> Callable[[str, Any], Any]:
    """Return the parser of ``Annotated[type, Parse(parser)]``, or of a union of such a type with None."""
    for option in (hint, *get_args(hint)):
        if get_origin(option) is Annotated:
            for mark in option.__metadata__:
                if isinstance(mark, Parse):
                    return mark.parser
    raise TypeError(f"The request field type {hint} has no parser.")
