"""What is known about the text of a cell before it runs."""
