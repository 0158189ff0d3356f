"""What is known of the text of a cell before it runs."""
