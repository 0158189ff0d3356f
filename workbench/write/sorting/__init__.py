"""Rewriting the rows of a partition in the order of columns."""
