"""The conversion of rows that callers hand in: Python values, pandas frames and Arrow columns of other types."""
