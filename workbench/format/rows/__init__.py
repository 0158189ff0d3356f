"""Rows as bytes: BinaryRow, bucket hashes and statistics (format §9 to §11)."""
