"""Data files of every format as columns of the table."""
