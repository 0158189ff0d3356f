"""Tables: reading, writing, versions and maintenance."""
