"""The aggregation of one column over the rows that share a key: the functions of format §17, over whole columns."""
