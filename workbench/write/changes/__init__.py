"""Changing rows of stored files: rows are replaced or removed in new files, or hidden by deletion vectors."""
