"""The formats of data files: a module each, which loads its reader and writer with the first file, and the registry."""
