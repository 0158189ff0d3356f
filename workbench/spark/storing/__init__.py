"""How Spark stores rows in tables that it does not know itself: names, casts and limits of their values."""
