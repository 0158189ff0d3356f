"""Rows of a table are deleted, changed and merged, and whole partitions emptied."""
