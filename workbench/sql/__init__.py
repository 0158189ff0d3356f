"""Paimon's SQL: statements become calls on catalog, table and Spark; results are values that show themselves."""
