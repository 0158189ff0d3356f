"""Avro container files, of metadata records and of data (format §8, §15)."""
