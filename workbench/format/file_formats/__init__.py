"""File formats by name, as far as metadata and table definitions depend on them."""
