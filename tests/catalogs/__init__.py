"""Catalogs of services, beside Java at the same tables."""
