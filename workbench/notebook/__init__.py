"""IPython integration: %paimon and %%paimon, progress, short errors, completions, and views of tables."""
