"""Parquet files: schema, footer statistics, Thrift and INT96 timestamps (format §13)."""
