"""Readers over a data file that add columns, drop rows, or map an older schema."""
