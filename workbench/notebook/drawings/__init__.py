"""Static pictures of views, as HTML and as PNG."""
