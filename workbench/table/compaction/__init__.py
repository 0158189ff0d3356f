"""Compaction of tables."""
