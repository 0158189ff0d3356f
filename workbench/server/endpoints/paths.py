"""The paths that endpoints share. Names in URLs are percent-encoded, so no name contains a slash there."""

CATALOGS = "catalogs"
CATALOG = f"{CATALOGS}/{{catalog}}"
DATABASES = f"{CATALOG}/databases"
TABLES = f"{DATABASES}/{{database}}/tables"
TABLE = f"{TABLES}/{{table}}"
