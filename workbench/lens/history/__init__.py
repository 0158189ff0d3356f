"""The whole history of a table, in bins that are read step by step."""
