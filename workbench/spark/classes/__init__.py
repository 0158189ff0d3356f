"""Java classes for Spark's JVM: their source code, and its compilation when a session needs them."""
