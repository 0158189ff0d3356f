"""Runs every statement of Paimon's SQL on Spark: ``wb.spark.attach`` and ``wb.spark.sql``."""
