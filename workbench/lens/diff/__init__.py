"""Any two states of a table, of its branches, or of two tables, compared: rows, files and metadata."""
