"""The tables in which a catalog is kept, as Java's ``JdbcCatalog`` creates them."""

from __future__ import annotations

from workbench.base.errors import CatalogError

TABLES = "paimon_tables"
DATABASE_PROPERTIES = "paimon_database_properties"
TABLE_PROPERTIES = "paimon_table_properties"
VIEWS = "paimon_views"
LOCKS = "paimon_distributed_locks"

_NAME_LENGTH = 255
_VALUE_LENGTH = 1000

_COLUMNS = {
    TABLES: (
        "catalog_key VARCHAR(255) NOT NULL,database_name VARCHAR(255) NOT NULL,table_name VARCHAR(255) NOT NULL,"
        " PRIMARY KEY (catalog_key, database_name, table_name)"
    ),
    DATABASE_PROPERTIES: (
        "catalog_key VARCHAR(255) NOT NULL,database_name VARCHAR(255) NOT NULL,property_key VARCHAR(255),"
        "property_value VARCHAR(1000),PRIMARY KEY (catalog_key, database_name, property_key)"
    ),
    TABLE_PROPERTIES: (
        "catalog_key VARCHAR(255) NOT NULL,database_name VARCHAR(255) NOT NULL,table_name VARCHAR(255) NOT NULL,"
        "property_key VARCHAR(255) NOT NULL,property_value VARCHAR(1000),"
        "PRIMARY KEY (catalog_key, database_name, table_name, property_key)"
    ),
    VIEWS: (
        "catalog_key VARCHAR(255) NOT NULL,database_name VARCHAR(255) NOT NULL,view_name VARCHAR(255) NOT NULL,"
        "view_schema TEXT NOT NULL, PRIMARY KEY (catalog_key, database_name, view_name)"
    ),
    LOCKS: (
        "lock_id VARCHAR({lock_length}) NOT NULL,acquired_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL,"
        "expire_time_seconds BIGINT DEFAULT 0 NOT NULL,PRIMARY KEY (lock_id)"
    ),
}


def creation(table: str, suffix: str, lock_length: int) -> str:
    """Return the statement that creates one of the tables unless it exists. ``suffix`` follows its columns."""
    columns = _COLUMNS[table].format(lock_length=lock_length)
    return f"CREATE TABLE IF NOT EXISTS {table}({columns}){suffix}"


def check_lengths(owner: str, properties: dict[str, str]) -> None:
    """Refuse properties of a table or database that do not fit into the columns for keys and values.

    Args:
        owner: What has the properties, at the beginning of a sentence.
        properties: The properties.

    Raises:
        CatalogError: A key has more than 255 characters, or a value more than 1,000.
    """
    for key, value in properties.items():
        for what, text, most in (
            (f"the key '{key}'", key, _NAME_LENGTH),
            (f"the value of '{key}'", value, _VALUE_LENGTH),
        ):
            if len(text) > most:
                raise CatalogError(
                    f"{owner} cannot be kept in the catalog: {what} has {len(text):,} characters, "
                    f"and the database has room for {most:,}.",
                    "Shorten it; for options of tables, 'sync-all-properties' = 'false' in the catalog also helps.",
                )
