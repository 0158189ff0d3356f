"""Catalogs in databases, beside Java's."""
