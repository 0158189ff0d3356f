"""Rows and files that another process prepared: assigned buckets, and files of another writer."""
