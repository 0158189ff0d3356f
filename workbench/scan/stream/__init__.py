"""Streaming reads: where a stream starts, which changes follow, and how much of them one batch takes (format §25.6)."""
