"""Predicates and SQL expressions: parsing, resolution, evaluation on Arrow columns and on statistics, without I/O."""

# These add `str(expression)`, which returns SQL, and copies of expressions.
import workbench.expr.sql_text
import workbench.expr.tree  # noqa: F401
