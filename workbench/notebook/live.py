"""A picture that follows its table: a live widget where a browser draws it, a static one anywhere else."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import pyarrow as pa

from workbench.base.errors import WorkbenchError
from workbench.base.session import session_options
from workbench.lens.error import ErrorValue, tell_error
from workbench.lens.wire import to_json
from workbench.notebook.errors import error_line
from workbench.notebook.following import Version, follower, newest_version
from workbench.notebook.views import View
from workbench.notebook.widget import has_front_end, missing_part, new_widget, tell_once
from workbench.sql.grid import Shown, line_html

Value = TypeVar("Value")
# What has been gathered, if anything, is not what is to be shown.
_NOTHING = Version(0, None, 0)


class LiveView(Shown, Generic[Value]):
    """A view of a table. One of a table itself follows new snapshots; one of a table from `at` stays at its version."""

    kind = ""

    def __init__(self, table: Any) -> None:
        self._table = table
        # The follower's thread, events of the widget and cells of the notebook all come here.
        self._lock = threading.RLock()
        self._value: Value | None = None
        self._error: Exception | None = None
        self._seen: Version | None = _NOTHING
        self._selected: str | None = None
        self._widget: Any = None

    # --- what it holds --------------------------------------------------------------------------------------------

    @property
    def table(self) -> Any:
        """The table that is shown."""
        return self._table

    @property
    def value(self) -> Value:
        """The lens value of the newest version, or of the one that the table stays at.

        Raises:
            WorkbenchError: the table cannot be read, or the version has expired.
        """
        with self._lock:
            self.follow(newest_version(self.table))
            if self._error is not None:
                raise self._error
            assert self._value is not None
            return self._value

    def to_arrow(self) -> pa.Table:
        """The rows of the table below the picture, with numbers as numbers."""
        return self._static(self.value).to_arrow()

    def to_pandas(self) -> Any:
        """The rows of the table below the picture as a pandas DataFrame."""
        return self.to_arrow().to_pandas()

    def close(self) -> None:
        """Take the widget off the page and follow the table no longer."""
        follower.remove(self)
        with self._lock:
            if self._widget is not None:
                self._widget.close()
                self._widget = None

    # --- what a kind of view says -----------------------------------------------------------------------------------

    @abstractmethod
    def _gather(self, newest: Version | None) -> Value:
        """Read the value of that version, None for a table never written."""

    @abstractmethod
    def _static(self, value: Value) -> View:
        """The value as tables and a picture that need no browser code."""

    @abstractmethod
    def _heard(self, event: Mapping[str, Any]) -> bool:
        """Take in what the reader did in the picture. Whether the value is to be gathered anew."""

    # --- following ------------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether its widget is on the page, as far as the kernel knows."""
        widget = self._widget
        return widget is not None and widget.comm is not None

    def follow(self, newest: Version | Exception | None) -> bool:
        """Show that version, or the error. Whether it could be read."""
        with self._lock:
            if isinstance(newest, Exception):
                self._fail(newest)
            elif self._error is not None or newest != self._seen:
                self._refresh(newest)
            return self._error is None

    def _refresh(self, newest: Version | None) -> None:
        try:
            self._value = self._gather(newest)
        except Exception as error:  # noqa: BLE001 - the view tells it, `value` raises it
            self._fail(error)
            return
        self._error, self._seen = None, newest
        self._send()

    def _fail(self, error: Exception) -> None:
        self._error = error
        self._send()

    def _hear(self, event: dict[str, Any]) -> None:
        with self._lock:
            if self._heard(event):
                self._seen = _NOTHING
                self.follow(newest_version(self.table))
            else:
                self._send()

    # --- showing --------------------------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        """What the widget draws. The value before an error stays visible below its message."""
        return {
            "value": None if self._value is None else to_json(self._value),
            "error": None if self._error is None else to_json(shown_error(self._error)),
            "zone": session_options.timezone,
            "selected": self._selected,
        }

    def _send(self) -> None:
        if not self.is_open:
            return
        with self._widget.hold_sync():
            for name, state in self._state().items():
                setattr(self._widget, name, state)

    def _shown(self) -> Shown:
        with self._lock:
            self.follow(newest_version(self.table))
            if self._error is not None:
                return Sentence(sentence(shown_error(self._error)))
            assert self._value is not None
            return self._static(self._value)

    def _text(self) -> str:
        return self._shown()._text()

    def _html(self) -> str:
        return self._shown()._html()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:  # noqa: ARG002
        shown = self._shown()
        bundle: dict[str, Any] = {"text/plain": shown._text(), "text/html": shown._html()}
        if not has_front_end():
            return bundle
        missing = missing_part()
        if missing is None:
            return {**bundle, **self._widget_bundle()}
        hint = tell_once(missing)
        return {**bundle, "text/html": bundle["text/html"] + line_html(hint)} if hint else bundle

    def _widget_bundle(self) -> dict[str, Any]:
        with self._lock:
            if not self.is_open:
                self._widget = new_widget({"kind": self.kind, **self._state()}, self._hear)
                if self.table is None or not self.table.is_pinned:
                    follower.add(self)
            data, _ = self._widget._repr_mimebundle_()
        return {kind: form for kind, form in data.items() if kind != "text/plain"}


class Sentence(Shown):
    """One line of text."""

    def __init__(self, text: str) -> None:
        self._line = text

    def _text(self) -> str:
        return self._line

    def _html(self) -> str:
        return line_html(self._line)


def table_at(table: Any, version: Version | None) -> Any:
    """The table standing still at that version, so that whatever is read of it belongs together."""
    return table if version is None or table.is_pinned else table.at(snapshot=version.id)


def shown_error(error: Exception) -> ErrorValue:
    """An error of any kind as the contract's value."""
    return tell_error(error if isinstance(error, WorkbenchError) else WorkbenchError(error_line(error)))


def sentence(error: ErrorValue) -> str:
    """An error in words."""
    return error.message if error.hint is None else f"{error.message} {error.hint}"
