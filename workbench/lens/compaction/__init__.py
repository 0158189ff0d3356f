"""The compactions of a table: each with its rule, its files before and after, a replay, and what they cost."""
