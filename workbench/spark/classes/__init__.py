"""Classes of Spark's JVM: their Java text, and its compilation when a session needs them."""
