"""Catalogs as values: their kinds, whether one can be opened, and what a database has besides tables."""
