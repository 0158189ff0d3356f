"""The paths that endpoints share. Names in URLs are percent-encoded, so no name contains a slash there."""

CATALOGS = "catalogs"
CATALOG = f"{CATALOGS}/{{catalog}}"
DATABASES = f"{CATALOG}/databases"
DATABASE = f"{DATABASES}/{{database}}"
TABLES = f"{DATABASE}/tables"
TABLE = f"{TABLES}/{{table}}"
