"""Incremental reads: what commits stored of changes, and what two versions differ in (format §19, §25.9)."""
