"""Views of a table in notebooks: how each is read, shown as tables and drawn."""
