"""The command line: ``paimon-workbench``."""
