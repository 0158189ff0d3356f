"""Maintenance: expiring old versions, and deleting files that no version uses (format §24)."""
