"""``%load_ext workbench``."""

from __future__ import annotations

import threading
from typing import Any

_ATTRIBUTE = "_paimon_workbench"


def load_ipython_extension(shell: Any) -> None:
    """Register `%paimon`, `%%paimon`, their completions and the display of Arrow tables, and load the engine of
    queries in the background."""
    from workbench.notebook.arrow_tables import show_arrow_tables
    from workbench.notebook.completion import make_matcher
    from workbench.notebook.magics import PaimonMagic
    from workbench.sql.engines.preload import preload

    if hasattr(shell, _ATTRIBUTE):
        return
    magic = PaimonMagic(shell)
    matcher = make_matcher(magic.session)
    shell.register_magics(magic)
    if shell.Completer is not None:
        shell.Completer.custom_matchers.append(matcher)
    show_arrow_tables(shell)
    setattr(shell, _ATTRIBUTE, (magic, matcher))
    threading.Thread(target=preload, name="workbench-preload", daemon=True).start()


def unload_ipython_extension(shell: Any) -> None:
    """Unregister what `load_ipython_extension` registered."""
    if not hasattr(shell, _ATTRIBUTE):
        return
    from workbench.notebook.arrow_tables import hide_arrow_tables

    magic, matcher = getattr(shell, _ATTRIBUTE)
    hide_arrow_tables(shell)
    delattr(shell, _ATTRIBUTE)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("paimon", None)
    if magic in shell.configurables:
        shell.configurables.remove(magic)
    if shell.Completer is not None and matcher in shell.Completer.custom_matchers:
        shell.Completer.custom_matchers.remove(matcher)
