"""Statistics of columns for query optimizers, computed from the rows of splits."""
