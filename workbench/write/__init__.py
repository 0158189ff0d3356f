"""The first phase of a write: rows become data files and messages."""
