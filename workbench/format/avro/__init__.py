"""Avro container files for metadata records and for data (format §8, §15)."""
