"""Lens values as the JSON of plotly figures: curves, totals and distributions. Nothing here needs plotly."""
