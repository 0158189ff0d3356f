"""Predicates and SQL expressions: parse, resolve, evaluate on Arrow columns and on statistics. Pure."""
