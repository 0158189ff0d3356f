"""The parts of the explanation of a read beyond its plan: why files were left out, and what is read from each file."""
