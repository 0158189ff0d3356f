"""One file per endpoint: its path, its typed request, and how the worker reads the answer."""
