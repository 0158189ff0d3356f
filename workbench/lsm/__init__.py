"""Sorted runs, levels, compaction picks and merges: pure over file metadata and Arrow data."""
