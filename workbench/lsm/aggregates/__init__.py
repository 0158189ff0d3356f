"""What happens to one column of the rows that share a key: the functions of format §17, over whole columns."""
