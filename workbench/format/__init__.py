"""Encoding and decoding of every on-disk structure of a Paimon table, one file per structure; no file system, clock
or network.
"""
