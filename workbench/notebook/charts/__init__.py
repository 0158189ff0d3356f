"""Charts of query results, in notebooks."""
