"""Attached sessions of Spark Connect, which have no JVM in this process: statements are rewritten."""
