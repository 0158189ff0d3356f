"""Encoding and decoding of file indexes, which map values to the rows of a data file (format §22)."""
