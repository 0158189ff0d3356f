"""Catalogs in a relational database, in the tables of Java's ``JdbcCatalog`` (``metastore = jdbc``)."""
