"""File indexes: which rows of a data file hold a value (format §22). Bytes to sets of rows, nothing else."""
