"""``python -m workbench.cli``, the same as ``paimon-workbench``."""

import sys

from workbench.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
