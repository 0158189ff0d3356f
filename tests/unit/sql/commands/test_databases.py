"""CREATE DATABASE and ALTER DATABASE: what they say is kept, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench as wb
from workbench.base.errors import DatabaseNotFound, InvalidExpression, Unsupported
from workbench.catalog.catalog import Catalog
from workbench.sql.execute import execute


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """Return a catalog that keeps properties of databases."""
    return wb.connect(metastore="jdbc", uri=f"jdbc:sqlite:{tmp_path}/catalog.db", warehouse=str(tmp_path))


def test_comment_and_properties_are_kept(catalog: Catalog) -> None:
    execute("CREATE DATABASE IF NOT EXISTS shop COMMENT 'all orders' WITH DBPROPERTIES ('team' = 'sales')", catalog)
    assert catalog.get_database("shop").comment == "all orders"
    assert catalog.get_database("shop").properties == {"team": "sales"}
    execute("CREATE DATABASE IF NOT EXISTS shop COMMENT 'other'", catalog)
    execute("ALTER SCHEMA shop SET DBPROPERTIES ('team' = 'lake', 'comment' = 'orders')", catalog)
    execute("ALTER DATABASE shop UNSET DBPROPERTIES ('team')", catalog)
    assert (catalog.get_database("shop").comment, dict(catalog.get_database("shop").properties)) == ("orders", {})


def test_a_location_is_never_ignored(catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="a catalog of kind jdbc keeps tables in"):
        execute("CREATE DATABASE shop LOCATION '/elsewhere'", catalog)
    with pytest.raises(Unsupported, match="LOCATION is not possible"):
        execute("CREATE DATABASE shop LOCATION '/elsewhere'", wb.connect(tmp_path))
    assert catalog.list_databases() == []


def test_a_directory_warns_about_properties(tmp_path: Path) -> None:
    catalog = wb.connect(tmp_path)
    with pytest.warns(UserWarning, match="keeps no properties of databases: team, comment is ignored"):
        execute("CREATE DATABASE shop COMMENT 'c' WITH DBPROPERTIES ('team' = 'sales')", catalog)
    assert catalog.list_databases() == ["shop"]


@pytest.mark.parametrize(
    "text",
    [
        "CREATE DATABASE shop COMMENT 'a' COMMENT 'b'",
        "CREATE DATABASE shop COMMENT all",
        "CREATE DATABASE shop WITH OPTIONS ('a' = 'b')",
        "ALTER DATABASE shop SET OWNER ada",
        "ALTER DATABASE shop SET DBPROPERTIES ('a' = 'b') ;x",
    ],
)
def test_other_texts_are_refused(catalog: Catalog, text: str) -> None:
    with pytest.raises(InvalidExpression):
        execute(text, catalog)
    with pytest.raises(DatabaseNotFound):
        execute("ALTER DATABASE shop SET DBPROPERTIES ('a' = 'b')", catalog)
