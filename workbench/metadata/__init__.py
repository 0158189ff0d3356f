"""The metadata files of one table: snapshots, schemas, manifests, tags, branches, consumers and index files."""
