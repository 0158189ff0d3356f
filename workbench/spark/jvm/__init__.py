"""The catalog that Spark's JVM knows: Java text, its compilation, and the Python function that it calls."""
