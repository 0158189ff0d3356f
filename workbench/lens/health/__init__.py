"""The health of tables: facts, checks, findings and the statements that fix them."""
