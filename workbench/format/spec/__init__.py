"""Metadata structures: schema, snapshot, manifest, tag, consumer, index manifest and paths (format §1 to §7)."""
