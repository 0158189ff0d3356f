"""The catalog in Spark's JVM: how a session gets it, and the Python function that it calls."""
