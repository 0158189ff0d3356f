"""Statements that change rows: DELETE, UPDATE, MERGE, TRUNCATE and DROP PARTITION."""
