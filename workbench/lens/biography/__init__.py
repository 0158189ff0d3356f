"""The life of one row: every stored version of it, the commits that moved it, and how reads merge them."""
