"""Compaction: what the picker chose is done."""
