"""What keeps a table small: expiring old versions, and cleaning up files that no version names (format §24)."""
