"""Rewriting rows into other buckets: postponed rows, and those of partitions whose number of buckets changes."""
