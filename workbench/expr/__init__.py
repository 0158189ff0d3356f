"""Predicates and SQL expressions: parsing, resolution, evaluation on Arrow columns and on statistics, without I/O."""

# Adds `str(expression)`, which returns SQL.
import workbench.expr.sql_text  # noqa: F401
