"""What distinguishes the storages behind fsspec: one module each, with its URLs, options, conditional writes and
directories; `registry` names them all."""
