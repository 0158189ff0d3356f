"""CREATE, ALTER and DROP VIEW, for the views of a catalog."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from workbench.base.counting import counted
from workbench.base.errors import AlreadyExists, InvalidSchema, TableNotFound, Unsupported
from workbench.catalog.descriptions import View
from workbench.catalog.identifier import Identifier
from workbench.sql.commands.protocol import Command
from workbench.sql.context import Context
from workbench.sql.cursor import Cursor
from workbench.sql.engines.views import DIALECT, check_reads_no, query_with_full_names
from workbench.sql.query import query_schema
from workbench.sql.result import Result, done
from workbench.sql.statements import Select, TableRef, with_full_names


@dataclass(frozen=True)
class CreateView:
    """``CREATE [OR REPLACE] VIEW [IF NOT EXISTS] view [(column [COMMENT '…'], …)] [COMMENT '…'] [TBLPROPERTIES (…)] AS
    query``."""

    text: str
    view: TableRef
    query: str
    columns: tuple[tuple[str, str | None], ...] = ()
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    if_not_exists: bool = False
    or_replace: bool = False

    def run(self, context: Context) -> Result:
        """Create the view; its columns are those of the query, which is not run."""
        name = ".".join(context.full_name(self.view))
        existing = context.find_view(self.view)
        if existing is not None and self.if_not_exists:
            return done(f"CREATE VIEW {name}: already exists, unchanged")
        if existing is not None and not self.or_replace:
            raise AlreadyExists(f"View {name} already exists.", "Write CREATE OR REPLACE VIEW, or IF NOT EXISTS.")
        made = self._made(context)
        if existing is not None:
            context.catalog.alter_view(name, made)
            return done(f"CREATE OR REPLACE VIEW {name}: replaced")
        context.catalog.create_view(
            name,
            made.query,
            made.fields,
            dialects=made.dialects,
            comment=made.comment,
            options=made.options,
            exist_ok=self.if_not_exists,
        )
        return done(f"CREATE VIEW {name}")

    def _made(self, context: Context) -> View:
        made = view_of(context, self.view, self.query)
        if self.columns and len(self.columns) != len(made.fields):
            raise InvalidSchema(
                f"The view has {counted(len(self.columns), 'columns')}, its query returns {len(made.fields)}.",
                "Name each column of the query.",
            )
        named = zip(made.fields, self.columns, strict=True) if self.columns else ()
        fields = tuple(replace(each, name=name, description=comment) for each, (name, comment) in named)
        return replace(made, fields=fields or made.fields, comment=self.comment, options=dict(self.properties))


@dataclass(frozen=True)
class DropView:
    """``DROP VIEW [IF EXISTS] view``."""

    text: str
    view: TableRef
    if_exists: bool = False

    def run(self, context: Context) -> Result:
        """Remove the view."""
        name = ".".join(context.full_name(self.view))
        if context.find_view(self.view) is None:
            if self.if_exists:
                return done(f"DROP VIEW {name}: does not exist, nothing to drop")
            check_is_no_table(context, self.view, "DROP")
        context.catalog.drop_view(name)
        return done(f"DROP VIEW {name}")


@dataclass(frozen=True)
class AlterViewQuery:
    """``ALTER VIEW view AS query``: the properties stay; queries in the dialects of other engines are removed."""

    text: str
    view: TableRef
    query: str

    def run(self, context: Context) -> Result:
        """Replace the query and the columns."""
        name, existing = existing_view(context, self.view)
        made = view_of(context, self.view, self.query)
        context.catalog.alter_view(name, replace(made, comment=existing.comment, options=existing.options))
        return done(f"ALTER VIEW {name}: new query")


@dataclass(frozen=True)
class AlterViewProperties:
    """``ALTER VIEW view SET|UNSET TBLPROPERTIES``; the value None removes a property."""

    text: str
    view: TableRef
    properties: Mapping[str, str | None]

    def run(self, context: Context) -> Result:
        """Change the properties; ``comment`` is the comment of the view."""
        name, existing = existing_view(context, self.view)
        given = {"comment": existing.comment, **existing.options, **self.properties}
        comment = given.pop("comment")
        options = {key: value for key, value in given.items() if value is not None}
        context.catalog.alter_view(name, replace(existing, comment=comment, options=options))
        return done(f"ALTER VIEW {name}: {counted(len(self.properties), 'properties')} changed")


@dataclass(frozen=True)
class RenameView:
    """``ALTER VIEW view RENAME TO name``; if ``name`` has no database, the view stays in its database."""

    text: str
    view: TableRef
    new_name: TableRef

    def run(self, context: Context) -> Result:
        """Rename the view."""
        name, view = existing_view(context, self.view)
        here = replace(context, database=context.full_name(self.view)[0])
        new_database, new_name = here.full_name(self.new_name)
        _check_means_the_same(replace(here, frames={}), new_database, name, view)
        new = f"{new_database}.{new_name}"
        context.catalog.rename_view(name, new)
        return done(f"ALTER VIEW {name}: renamed to {new}")


def view_of(context: Context, view: TableRef, query: str) -> View:
    """Return a view of a query, as Java's connector for Spark stores it: with the text as written.

    Only if a name in the text would mean another table in the database of the view, all names are stored in full.

    Raises:
        Unsupported: If the query reads a data frame, or a view of the Spark session.
        WorkbenchError: If the query cannot be parsed, or a table or a column does not exist.
    """
    # A view is read in Spark's dialect, whatever the engine of its creator is.
    context = replace(context, engine="auto" if context.engine == "duckdb" else context.engine, statement=query)
    identifier = Identifier(*context.full_name(view))
    # Without a current database, names are those of the view's database, as when the view is read.
    written = replace(context, frames={}, database=context.database or identifier.database)
    select = query_with_full_names(written, query)
    check_reads_no(identifier, written, select)
    schema = query_schema(written, select)
    inside = query_with_full_names(replace(written, database=identifier.database), query)
    text = query if inside.text == select.text else _with_databases(written, select)
    from workbench.metadata.definition.new_schema import new_table_schema

    return View(new_table_schema(schema, time_millis=0).fields, text, {DIALECT: text})


def _check_means_the_same(context: Context, database: str, name: str, view: View) -> None:
    """Check that a view reads the same tables in another database: names without one are those of the view's."""
    query = view.query_for(DIALECT)
    if database == context.database:
        return
    if (
        query_with_full_names(context, query).text
        != query_with_full_names(replace(context, database=database), query).text
    ):
        raise Unsupported(
            f"View {name} cannot be moved to database '{database}': its query names tables without their database, and "
            f"would read those of '{database}'.",
            f"Name the database of each table before: ALTER VIEW {name} AS SELECT …",
        )


def _with_databases(context: Context, select: Select) -> str:
    """Return a query with names of two parts, which are valid whatever name a session gives the catalog."""
    return with_full_names(select, {table: context.full_name(table) for table in select.tables})


def existing_view(context: Context, view: TableRef) -> tuple[str, View]:
    """Return the full name of a view and the view.

    Raises:
        TableNotFound: If there is no such view; the message says if it is a table.
    """
    found = context.find_view(view)
    if found is None:
        check_is_no_table(context, view, "ALTER")
    name = ".".join(context.full_name(view))
    return name, context.catalog.get_view(name)


def check_is_no_table(context: Context, view: TableRef, verb: str) -> None:
    """Raise TableNotFound if a name is the name of a table."""
    database, name = context.full_name(view)
    if name in context.catalog.list_tables(database):
        raise TableNotFound(f"{database}.{name} is a table, not a view.", f"Write {verb} TABLE.")


def create_view(text: str) -> Command | None:
    """Parse CREATE VIEW; return None if another object is created.

    Raises:
        InvalidExpression: If the text cannot be parsed.
        Unsupported: If the view is temporary.
    """
    cursor = Cursor(text)
    cursor.expect("CREATE")
    or_replace = cursor.accept("OR", "REPLACE")
    is_temporary = cursor.accept("TEMPORARY") or cursor.accept("TEMP") or cursor.accept("GLOBAL", "TEMPORARY")
    if not cursor.accept("VIEW"):
        return None
    if is_temporary:
        raise Unsupported(
            "CREATE TEMPORARY VIEW is not supported.", "Create it in a Spark session, or create a view of the catalog."
        )
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    if if_not_exists and or_replace:
        cursor.fail("OR REPLACE and IF NOT EXISTS exclude each other")
    view = cursor.table()
    columns = _columns(cursor) if cursor.accept("(") else ()
    comment, properties = None, dict[str, str]()
    while not cursor.accept("AS"):
        if cursor.accept("COMMENT"):
            comment = cursor.string()
        elif cursor.accept("TBLPROPERTIES"):
            properties = cursor.properties()
        else:
            cursor.fail("expected COMMENT, TBLPROPERTIES or AS")
    return CreateView(text, view, cursor.rest(), columns, comment, properties, if_not_exists, or_replace)


def drop_view(text: str) -> Command | None:
    """Parse DROP VIEW; return None if another object is dropped."""
    cursor = Cursor(text)
    if not cursor.accept("DROP", "VIEW"):
        return None
    if_exists = cursor.accept("IF", "EXISTS")
    view = cursor.table()
    cursor.expect_end()
    return DropView(text, view, if_exists)


def alter_view(cursor: Cursor) -> Command:
    """Parse what follows ALTER VIEW."""
    view = cursor.table()
    command: Command
    if cursor.accept("AS"):
        return AlterViewQuery(cursor.text, view, cursor.rest())
    if cursor.accept("RENAME", "TO"):
        command = RenameView(cursor.text, view, cursor.table())
    elif cursor.accept("SET", "TBLPROPERTIES"):
        command = AlterViewProperties(cursor.text, view, cursor.properties())
    elif cursor.accept("UNSET", "TBLPROPERTIES"):
        cursor.accept("IF", "EXISTS")
        command = AlterViewProperties(cursor.text, view, dict.fromkeys(cursor.keys()))
    else:
        cursor.fail("ALTER VIEW supports AS, RENAME TO, SET TBLPROPERTIES and UNSET TBLPROPERTIES")
    cursor.expect_end()
    return command


def _columns(cursor: Cursor) -> tuple[tuple[str, str | None], ...]:
    columns = []
    while True:
        name = cursor.name()
        columns.append((name, cursor.string() if cursor.accept("COMMENT") else None))
        if not cursor.accept(","):
            break
    cursor.expect(")")
    return tuple(columns)
