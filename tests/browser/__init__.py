"""Tests in a browser. They form a Python package, so that all of its modules share one browser."""
