"""The methods of Table, grouped by what they do."""
