"""The checks of a table's health, one per file."""
