"""Translates queries from Spark's dialect to DuckDB's if every construct is known to mean the same. Pure functions."""
