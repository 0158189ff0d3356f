"""Paimon's SQL: turns statements into calls on the catalog, tables and Spark, and returns results that render
themselves.
"""
