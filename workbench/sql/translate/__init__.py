"""Translates queries of Spark's dialect to DuckDB's, where every construct is known to mean the same; pure."""
