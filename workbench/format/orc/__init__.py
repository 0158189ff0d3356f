"""ORC files: schema, tail, run-length encodings and timestamps (format §14)."""
