"""IPython: %paimon and %%paimon, live progress, short errors, completions, and views of tables."""
