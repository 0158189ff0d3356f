"""Sandboxes: every operation for real on a table that stays as it is, and applying what came of it."""
