"""CREATE DATABASE and ALTER DATABASE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.base.counting import counted
from workbench.catalog.default_database import create_with_properties
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.result import Result, done

WORDS = ("DATABASE", "SCHEMA", "NAMESPACE")
"""The words for a database."""

_PROPERTIES = ("DBPROPERTIES", "PROPERTIES")


@dataclass(frozen=True)
class CreateDatabase:
    """``CREATE DATABASE [IF NOT EXISTS] name [COMMENT '…'] [LOCATION '…'] [WITH DBPROPERTIES (…)]``. Comment and
    location are among the properties, under these names."""

    text: str
    name: str
    properties: Mapping[str, str] = field(default_factory=dict)
    if_not_exists: bool = False

    def run(self, context: Context) -> Result:
        """Create the database."""
        create_with_properties(context.catalog, self.name, self.properties, exist_ok=self.if_not_exists)
        return done(f"CREATE DATABASE {self.name}")


@dataclass(frozen=True)
class AlterDatabase:
    """``ALTER DATABASE name SET DBPROPERTIES (…)``, and ``UNSET``; the value None removes a property."""

    text: str
    name: str
    properties: Mapping[str, str | None]

    def run(self, context: Context) -> Result:
        """Change the properties; ``comment`` is the comment of the database."""
        context.catalog.alter_database(self.name, self.properties)
        return done(f"ALTER DATABASE {self.name}: {counted(len(self.properties), 'properties')} changed")


def create_database(text: str) -> CreateDatabase | None:
    """Parse CREATE DATABASE; return None if another object is created.

    Raises:
        InvalidExpression: If the text cannot be parsed.
    """
    cursor = Cursor(text)
    if not cursor.accept("CREATE") or cursor.choose(*WORDS) is None:
        return None
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    name = cursor.path()[-1]
    given: dict[str, str] = {}
    properties: dict[str, str] = {}
    while not cursor.is_at_end:
        word = cursor.choose("COMMENT", "LOCATION")
        if word is not None and word.lower() not in given:
            given[word.lower()] = cursor.string()
        elif word is None and not properties and cursor.accept("WITH") and cursor.choose(*_PROPERTIES):
            properties = cursor.properties()
        else:
            cursor.fail("expected COMMENT, LOCATION or WITH DBPROPERTIES, each once")
    return CreateDatabase(text, name, {**properties, **given}, if_not_exists)


def alter_database(cursor: Cursor) -> AlterDatabase:
    """Parse what follows ALTER DATABASE."""
    name = cursor.path()[-1]
    properties: dict[str, str | None] = {}
    if cursor.accept("SET") and cursor.choose(*_PROPERTIES):
        properties = {**cursor.properties()}
    elif cursor.accept("UNSET") and cursor.choose(*_PROPERTIES):
        properties = dict.fromkeys(cursor.keys())
    else:
        cursor.fail("ALTER DATABASE supports SET DBPROPERTIES and UNSET DBPROPERTIES")
    cursor.expect_end()
    return AlterDatabase(cursor.text, name, properties)
