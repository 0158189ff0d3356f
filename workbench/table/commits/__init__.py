"""What follows the commits of a table: repeated compactions, and maintenance."""
