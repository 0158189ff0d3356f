"""Which chart suits the rows of a query, and what it draws; plain values."""
