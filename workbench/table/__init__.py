"""One table's life: scan, read, write, commit, travel, compact."""
