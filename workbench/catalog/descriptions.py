"""What a catalog knows of its databases, tables, views and functions, as values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.base.card import Card, HasCard
from workbench.base.secrets import shown_value
from workbench.format.types import DataField, field_from_json, field_to_json

if TYPE_CHECKING:
    from workbench.catalog.identifier import Identifier
    from workbench.format.spec.schema import TableSchema
    from workbench.metadata.protocol import CatalogEnvironment


@dataclass(frozen=True, repr=False)
class Database(HasCard):
    """A database (Java ``Database``)."""

    name: str
    """Its name."""

    location: str | None = None
    """The directory of its new tables; None if the catalog chooses it for each table."""

    comment: str | None = None
    """What it is for."""

    properties: Mapping[str, str] = field(default_factory=dict)
    """Its other properties. Catalogs in a directory have none."""

    def __repr__(self) -> str:
        return f"<Database {self.name}>"

    def _card(self) -> Card:
        """Return its facts."""
        known = (("location", self.location or ""), ("comment", self.comment or ""))
        properties = tuple((key, shown_value(key, value)) for key, value in sorted(self.properties.items()))
        return Card(f"Database {self.name}", tuple(fact for fact in (*known, *properties) if fact[1]))


@dataclass(frozen=True)
class TableDescription:
    """A table as the service of its catalog describes it."""

    identifier: Identifier
    """Its name."""

    location: str
    """Its directory."""

    schema: TableSchema
    """Its newest schema."""

    environment: CatalogEnvironment
    """What the catalog provides for it."""

    uuid: str | None = None
    """An id that no other table gets, if the service assigns one."""

    is_external: bool = False
    """Whether its files are kept when it is dropped."""

    storage_options: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Options of its storage, such as credentials, that replace those of the catalog."""


@dataclass(frozen=True, repr=False)
class View(HasCard):
    """A query under a name (Java ``View``)."""

    fields: tuple[DataField, ...]
    """The columns of its result."""

    query: str
    """The query in the dialect of the engine that created it."""

    dialects: Mapping[str, str] = field(default_factory=dict)
    """The query in the dialects of other engines, by their names, such as ``spark`` and ``flink``."""

    comment: str | None = None
    """What it is for."""

    options: Mapping[str, str] = field(default_factory=dict)
    """Its properties."""

    def __repr__(self) -> str:
        return f"<View: {self.query}>"

    def query_for(self, dialect: str) -> str:
        """Return the query in a dialect, or as it was created if there is none for the dialect."""
        return self.dialects.get(dialect, self.query)

    def _card(self) -> Card:
        """Return its query, properties and columns."""
        facts = (
            ("comment", self.comment or ""),
            ("query", self.query),
            *((f"query for {name}", text) for name, text in sorted(self.dialects.items())),
            *((key, shown_value(key, value)) for key, value in sorted(self.options.items())),
        )
        rows = tuple((each.name, str(each.type), each.description or "") for each in self.fields)
        return Card("View", tuple(fact for fact in facts if fact[1]), ("column", "type", "comment"), rows)

    def to_json(self) -> dict[str, Any]:
        """Return the document that services keep (Java ``ViewSchema``)."""
        return {
            "fields": [field_to_json(each) for each in self.fields],
            "query": self.query,
            "dialects": dict(self.dialects),
            "comment": self.comment,
            "options": dict(self.options),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> View:
        """Return the view in a document of a service."""
        return cls(
            tuple(field_from_json(each) for each in document["fields"]),
            document["query"],
            document.get("dialects") or {},
            document.get("comment"),
            document.get("options") or {},
        )


@dataclass(frozen=True, repr=False)
class Function(HasCard):
    """A function that engines can call by name (Java ``Function``)."""

    name: str
    """Its name."""

    inputs: tuple[DataField, ...] = ()
    """Its parameters."""

    outputs: tuple[DataField, ...] = ()
    """The columns of its result."""

    is_deterministic: bool = True
    """Whether the same arguments always have the same result."""

    definitions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Its definitions by the names of engines, as the service keeps them."""

    comment: str | None = None
    """What it is for."""

    options: Mapping[str, str] = field(default_factory=dict)
    """Its properties."""

    def __repr__(self) -> str:
        return f"<Function {self.name}>"

    def _card(self) -> Card:
        """Return its definitions and parameters."""
        facts = (
            ("comment", self.comment or ""),
            ("returns", ", ".join(str(each.type) for each in self.outputs)),
            *((f"definition for {name}", json.dumps(dict(text))) for name, text in sorted(self.definitions.items())),
        )
        rows = tuple((each.name, str(each.type), each.description or "") for each in self.inputs)
        shown = tuple(fact for fact in facts if fact[1])
        return Card(f"Function {self.name}", shown, ("parameter", "type", "comment"), rows)
