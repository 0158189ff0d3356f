"""Work of cells: it runs on other threads, shows its progress as a card, can be canceled, and may outlive its cell."""
