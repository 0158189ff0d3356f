"""Tests in a browser. They are a package of Python, so that one browser serves all of its modules."""
