"""Batch writes of DataFrames."""
