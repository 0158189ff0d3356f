"""Maintenance of tables by Spark jobs."""
