"""Reading of tables and their versions as DataFrames."""
