"""A search of tables by their columns and comments, which are in their schemas."""
