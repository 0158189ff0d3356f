"""Incremental reads: the changes that commits stored, and the difference between two snapshots (format §19, §25.9)."""
