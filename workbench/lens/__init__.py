"""What people look at, as plain values: gather reads through a table, tell is pure."""
