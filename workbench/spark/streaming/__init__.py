"""Structured Streaming: the source, the sink, and change data capture from JSON."""
