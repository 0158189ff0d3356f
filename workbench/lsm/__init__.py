"""Sorted runs, levels, compaction picks and merges: pure functions of file metadata and Arrow data."""
