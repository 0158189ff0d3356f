"""Names -> tables."""
