"""What the explanation of a read says beyond its plan: the facts behind it, and what is read of each file."""
