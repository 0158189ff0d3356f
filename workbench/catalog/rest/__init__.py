"""Catalogs behind Paimon's REST protocol."""
