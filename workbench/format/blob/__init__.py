"""Blob files, blob descriptors and collections of blobs (format §26)."""
