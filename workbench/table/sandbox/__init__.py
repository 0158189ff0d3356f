"""Sandboxes: running operations on a copy-on-write table, and applying the result to the real one."""
