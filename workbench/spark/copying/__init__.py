"""COPY INTO: loads files into tables, and writes the rows of queries to files."""
