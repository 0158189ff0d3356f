"""Catalogs: from names to tables."""
