"""Index files: deletion vectors, bitmaps, hash indexes and file indexes (format §20 to §22)."""
