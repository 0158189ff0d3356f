"""Changing the versions of a table: tags, branches, rollback, fast-forward and consumers."""
