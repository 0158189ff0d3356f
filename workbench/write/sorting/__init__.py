"""Rewriting the rows of a partition, sorted by columns."""
