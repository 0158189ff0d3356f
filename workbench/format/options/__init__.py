"""Table options: the catalog of all options, their typed values, and the checks of what is allowed."""
