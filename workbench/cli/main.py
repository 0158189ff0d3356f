"""The command ``paimon-workbench`` and its subcommands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from workbench.base.errors import WorkbenchError
from workbench.base.version import VERSION
from workbench.cli.demo import DEMO
from workbench.cli.health import HEALTH

COMMANDS = (DEMO, HEALTH)
_STOPPED_BY_USER = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand and return the exit code."""
    given = _parser().parse_args(arguments)
    try:
        code: int = given.run(given)
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return _STOPPED_BY_USER
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="paimon-workbench", description="A lakehouse workbench for Apache Paimon.")
    parser.add_argument("--version", action="version", version=f"paimon-workbench {VERSION}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        own = commands.add_parser(
            command.name,
            help=command.help,
            description=command.description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.add_arguments(own)
        own.set_defaults(run=command.run)
    return parser
