"""Catalogs in a Hive Metastore."""
