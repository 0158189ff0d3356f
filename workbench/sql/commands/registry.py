"""The registry of commands, which maps the first word of a statement to its parser."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workbench.sql.commands.alter import alter, comment_on
from workbench.sql.commands.call import call
from workbench.sql.commands.copy_into import copy_into
from workbench.sql.commands.describe import describe
from workbench.sql.commands.merge import merge
from workbench.sql.commands.protocol import Command
from workbench.sql.commands.rows import delete, truncate, update
from workbench.sql.commands.show import show
from workbench.sql.commands.statistics import analyze, refresh

COMMANDS: Mapping[str, Callable[[str], Command]] = {
    "ALTER": alter,
    "ANALYZE": analyze,
    "CALL": call,
    "COMMENT": comment_on,
    "COPY": copy_into,
    "DELETE": delete,
    "DESC": describe,
    "DESCRIBE": describe,
    "MERGE": merge,
    "REFRESH": refresh,
    "SHOW": show,
    "TRUNCATE": truncate,
    "UPDATE": update,
}
