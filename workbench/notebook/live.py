"""A picture that follows its table: a live widget where a browser can draw it, a static view everywhere else."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import pyarrow as pa

from workbench.base.errors import WorkbenchError
from workbench.base.session import session_options
from workbench.lens.error import ErrorValue, describe_error
from workbench.lens.wire import to_json
from workbench.notebook.drawings.png import PngForm
from workbench.notebook.errors import error_line
from workbench.notebook.following import NewestSnapshot, follower, newest_version
from workbench.notebook.saved import SAVED_MIME, SavedForm, SavedState, saved_view
from workbench.notebook.views import View
from workbench.notebook.widget import has_front_end, has_kernel, hint_once, missing_part, new_widget
from workbench.sql.grid import Shown, line_html

Value = TypeVar("Value")
# Indicates that the value, if there is one, must not be shown and has to be read again.
_OUTDATED = NewestSnapshot(0, None, 0)


class LiveView(Shown, Generic[Value]):
    """A view that follows new snapshots of its table; for a table from `at`, it stays at that version.

    Subclasses read the value, show it as tables, and handle events of the picture.
    """

    kind = ""

    def __init__(self, table: Any) -> None:
        self._table = table
        # Guards the state, which the follower's thread, events of the widget and cells of the notebook share.
        self._lock = threading.RLock()
        self._value: Value | None = None
        self._error: Exception | None = None
        self._seen: NewestSnapshot | None = _OUTDATED
        self._selected: str | None = None
        self._widget: Any = None
        self._below: LiveView[Any] | None = None
        # The view whose widget shows this one.
        self._opener: LiveView[Any] | None = None

    # --- the value --------------------------------------------------------------------------------------------------

    @property
    def table(self) -> Any:
        """The table that is shown."""
        return self._table

    @property
    def value(self) -> Value:
        """The lens value of the newest version, or of the table's fixed version.

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
        """Return the rows of the table below the picture, with unformatted numbers."""
        return self._fallback(self.value).to_arrow()

    def to_pandas(self) -> Any:
        """Return the rows of the table below the picture as a pandas DataFrame."""
        return self.to_arrow().to_pandas()

    def close(self) -> None:
        """Remove the widget from the page and stop following the table."""
        follower.remove(self)
        with self._lock:
            if self._widget is not None:
                self._widget.close()
                self._widget = None

    # --- what subclasses define -------------------------------------------------------------------------------------

    @abstractmethod
    def _collect(self, newest: NewestSnapshot | None) -> Value:
        """Read the value of the version ``newest``, which is None for a table that was never written."""

    @abstractmethod
    def _fallback(self, value: Value) -> View:
        """Return the value as tables and a picture that need no browser code."""

    @abstractmethod
    def _on_event(self, event: Mapping[str, Any]) -> bool:
        """Handle an event of the picture. Return whether the value must be read again."""

    def _open(self, _event: Mapping[str, Any]) -> LiveView[Any] | None:
        """Return the other view that an event of the picture requests, or None if it requests no view."""
        return None

    def _has_picture(self) -> bool:
        """Return whether the browser draws this view."""
        return True

    def _saved_form(self) -> SavedForm[Value] | None:
        """Return how the value is saved in a notebook; None if the extension cannot draw it without a kernel."""
        return None

    # --- the view below ---------------------------------------------------------------------------------------------

    @property
    def opened(self) -> LiveView[Any] | None:
        """The view below the picture, which the picture has opened; None if there is none."""
        return self._below

    def _show_below(self, opened: LiveView[Any] | None) -> None:
        self._below = opened
        if opened is not None:
            opened._opener = self
            opened.follow(newest_version(opened.table))
        self._send()

    # --- following --------------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether its widget is on the page, as far as the kernel knows."""
        widget = self._widget
        return widget is not None and widget.comm is not None

    def follow(self, newest: NewestSnapshot | Exception | None) -> bool:
        """Show the given version or error. Return whether the table could be read."""
        with self._lock:
            if isinstance(newest, Exception):
                self._fail(newest)
            elif self._error is not None or newest != self._seen:
                self._refresh(newest)
            if self._below is not None:
                self._below.follow(newest)
            return self._error is None

    def _refresh(self, newest: NewestSnapshot | None) -> None:
        try:
            self._value = self._collect(newest)
        except Exception as error:  # noqa: BLE001 - the view shows it, `value` raises it
            self._fail(error)
            return
        self._error, self._seen = None, newest
        self._send()

    def _fail(self, error: Exception) -> None:
        self._error = error
        self._send()

    def _on_message(self, event: dict[str, Any]) -> None:
        with self._lock:
            match event:
                case {"kind": "opened", "event": dict(inner)} if self._below is not None:
                    self._below._on_message(inner)
                case {"kind": "close-opened"}:
                    self._show_below(None)
                case _:
                    self._handle(event)

    def _handle(self, event: dict[str, Any]) -> None:
        try:
            opened = self._open(event)
        except Exception as error:  # noqa: BLE001 - the view shows it
            self._fail(error)
            return
        if opened is not None:
            self._show_below(opened)
        elif self._on_event(event):
            self._read_again()
        else:
            self._send()

    def _read_again(self) -> None:
        """Read the value even if there is no new snapshot."""
        self._seen = _OUTDATED
        self.follow(newest_version(self.table))

    # --- showing ----------------------------------------------------------------------------------------------------

    def _state(self) -> dict[str, Any]:
        """Return the traits of the widget. After an error, the last value stays visible below the message."""
        return {
            "value": None if self._value is None else to_json(self._value),
            "error": None if self._error is None else to_json(shown_error(self._error)),
            "zone": session_options.timezone,
            "selected": self._selected,
            "opened": None if self._below is None else {"kind": self._below.kind, **self._below._state()},
        }

    def _send(self) -> None:
        if self._opener is not None:
            self._opener._send()
        if not self.is_open:
            return
        with self._widget.hold_sync():
            for name, state in self._state().items():
                setattr(self._widget, name, state)

    def _shown(self) -> Shown:
        with self._lock:
            self.follow(newest_version(self.table))
            if self._error is not None:
                return Message(error_text(shown_error(self._error)))
            assert self._value is not None
            return self._fallback(self._value)

    def _text(self) -> str:
        return self._shown()._text()

    def _html(self) -> str:
        return self._shown()._html()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:  # noqa: ARG002
        shown = self._shown()
        bundle: dict[str, Any] = {"text/plain": shown._text(), "text/html": shown._html()}
        if not self._has_picture():
            return bundle
        if has_front_end():
            missing = missing_part()
            if missing is None:
                bundle |= self._widget_bundle()
            elif hint := hint_once(missing):
                bundle["text/html"] += line_html(hint)
        return bundle | self._saved_bundle() if has_kernel() else bundle

    def _repr_png_(self) -> PngForm | None:
        shown = self._shown()
        return shown._repr_png_() if isinstance(shown, View) else None

    def _widget_bundle(self) -> dict[str, Any]:
        with self._lock:
            if not self.is_open:
                self._widget = new_widget({"kind": self.kind, **self._state()}, self._on_message)
                if self.table is None or not self.table.is_pinned:
                    follower.add(self)
            data, _ = self._widget._repr_mimebundle_()
        return {kind: content for kind, content in data.items() if kind != "text/plain"}

    def _saved_bundle(self) -> dict[str, Any]:
        with self._lock:
            form = self._saved_form()
            if form is None or self._value is None or self._error is not None:
                return {}
            model = self._widget.model_id if self.is_open else None
            state = SavedState(self.kind, session_options.timezone, self._selected, model)
            saved = saved_view(state, self._value, form, table_at(self.table, self._seen))
        return {} if saved is None else {SAVED_MIME: saved}


class Message(Shown):
    """One line of text."""

    def __init__(self, text: str) -> None:
        self._line = text

    def _text(self) -> str:
        return self._line

    def _html(self) -> str:
        return line_html(self._line)


def table_at(table: Any, version: NewestSnapshot | None) -> Any:
    """Return the table at a fixed version, so that all values read from it are consistent."""
    return table if version is None or table.is_pinned else table.at(snapshot=version.id)


def shown_error(error: Exception) -> ErrorValue:
    """Return any error as a value of the contract."""
    return describe_error(error if isinstance(error, WorkbenchError) else WorkbenchError(error_line(error)))


def error_text(error: ErrorValue) -> str:
    """Return the message and the hint of an error."""
    return error.message if error.hint is None else f"{error.message} {error.hint}"
