"""Clocks, identifiers, session options, errors."""

from __future__ import annotations

import pickle
import threading
import time
import uuid
from datetime import UTC, datetime

import pytest

from workbench.base import session
from workbench.base.clock import Clock, ManualClock, SystemClock
from workbench.base.errors import Cancelled, CorruptFile, Unsupported, WorkbenchError, did_you_mean, near_match
from workbench.base.ids import CountingIds, IdSource, RandomIds
from workbench.base.session import SessionOptions, machine_timezone
from workbench.base.texts import time_text


def in_zone(monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()


@pytest.mark.parametrize(("zone", "hours"), [("UTC", 0), ("Asia/Kolkata", 5.5), ("Etc/GMT+3", -3)])
def test_local_wall_clock(monkeypatch: pytest.MonkeyPatch, zone: str, hours: float) -> None:
    in_zone(monkeypatch, zone)
    try:
        clock = SystemClock()
        assert abs(clock.local_wall_millis() - clock.now_millis() - hours * 3_600_000) < 1000
    finally:
        monkeypatch.undo()
        time.tzset()


def test_local_wall_clock_does_not_lose_a_millisecond(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fixed(datetime):
        microsecond_now = 0

        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]  # noqa: ARG003
            return datetime(2026, 1, 1, 0, 0, 0, cls.microsecond_now)

    monkeypatch.setattr("workbench.base.clock.datetime", Fixed)
    start = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp()) * 1000
    for millis in range(1000):
        Fixed.microsecond_now = millis * 1000
        assert SystemClock().local_wall_millis() == start + millis


def test_system_clock_moves() -> None:
    clock: Clock = SystemClock()
    before = clock.monotonic()
    clock.sleep(0.01)
    assert clock.monotonic() - before >= 0.009
    assert abs(clock.now_millis() - time.time() * 1000) < 1000


def test_manual_clock() -> None:
    clock = ManualClock(1000)
    assert clock.now_millis() == clock.local_wall_millis() == 1000
    before = clock.monotonic()
    clock.sleep(2.5)
    clock.advance(1)
    assert clock.now_millis() == 3501
    assert clock.monotonic() - before == pytest.approx(2.501)


def test_manual_clock_under_threads() -> None:
    clock = ManualClock(0)
    threads = [threading.Thread(target=lambda: [clock.advance(1) for _ in range(5000)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clock.now_millis() == 20_000


def test_counting_ids() -> None:
    ids: IdSource = CountingIds(start=9)
    assert [ids.uuid(), ids.uuid()] == [
        "00000000-0000-0000-0000-000000000009",
        "00000000-0000-0000-0000-00000000000a",
    ]


def test_ids_under_threads_are_unique() -> None:
    for ids in (CountingIds(), RandomIds()):
        seen: list[str] = []
        threads = [threading.Thread(target=lambda: seen.extend(ids.uuid() for _ in range(2000))) for _ in range(4)]  # noqa: B023
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(seen)) == 8000
        assert all(str(uuid.UUID(value)) == value for value in seen[:10])


@pytest.mark.parametrize(
    ("named", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        (":Europe/Berlin", "Europe/Berlin"),
        ("/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
        (":/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
        ("", "UTC"),
        ("Etc/UTC", "UTC"),
    ],
)
def test_machine_timezone_from_the_environment(monkeypatch: pytest.MonkeyPatch, named: str, zone: str) -> None:
    monkeypatch.setenv("TZ", named)
    assert machine_timezone() == zone


def test_machine_timezone_from_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)
    monkeypatch.setattr(session.os.path, "realpath", lambda _: "/usr/share/zoneinfo/America/New_York")
    assert machine_timezone() == "America/New_York"
    monkeypatch.setattr(session.os.path, "realpath", lambda _: "/etc/localtime")
    monkeypatch.setattr(session.Path, "exists", lambda _: True)
    monkeypatch.setattr(session.Path, "read_text", lambda _: "Asia/Tokyo\n")
    assert machine_timezone() == "Asia/Tokyo"
    monkeypatch.setattr(session.Path, "read_text", lambda _: "Nowhere/Land\n")
    assert machine_timezone() == "UTC"


def test_session_options() -> None:
    options = SessionOptions(timezone="Europe/Berlin")
    assert datetime(2026, 7, 1, tzinfo=options.zone()).utcoffset() is not None
    for wrong in ("Europe/Berlyn", "Europe", "", "../../etc/passwd", "/etc/localtime"):
        options.timezone = wrong
        with pytest.raises(WorkbenchError, match="is not a time zone"):
            options.zone()
    with pytest.raises(AttributeError):
        options.timezon = "UTC"  # type: ignore[attr-defined]
    assert SessionOptions().zone() is not None


def test_errors_travel_between_processes() -> None:
    for error in (CorruptFile("/wh/x", "too short.", "Restore it."), Unsupported("No 'x'.", "Use y."), Cancelled()):
        back = pickle.loads(pickle.dumps(error))
        assert (type(back), str(back), back.hint) == (type(error), str(error), error.hint)
    assert str(CorruptFile("/wh/x", " too short. ")) == "Cannot read /wh/x: too short."


@pytest.mark.parametrize(
    ("message", "hint", "shown"),
    [
        ("It cannot contain this: name RLIKE 'a'", "Use LIKE.", "It cannot contain this: name RLIKE 'a'. Use LIKE."),
        ("There is no 'x'.", "Use 'y'.", "There is no 'x'. Use 'y'."),
        ("Which one?", "Name it.", "Which one? Name it."),
        ("One of these:", "a, b", "One of these: a, b"),
        ("There is no /x", None, "There is no /x"),
    ],
)
def test_a_message_does_not_run_into_its_hint(message: str, hint: str | None, shown: str) -> None:
    error = WorkbenchError(message, hint)
    assert str(error) == shown == " ".join(filter(None, (error.message, error.hint)))


def test_near_matches() -> None:
    assert near_match("merge-engin", ["merge-engine", "bucket"]) == "merge-engine"
    assert did_you_mean("merge-engin", ["merge-engine"]) == "Did you mean 'merge-engine'?"
    assert did_you_mean("zzz", ["merge-engine"]) is None


@pytest.mark.parametrize("millis", [2**63 - 1, -(2**63), 253402300800000])
def test_times_that_no_calendar_has_are_shown_as_milliseconds(millis: int) -> None:
    assert time_text(millis) == f"{millis:,} ms since 1970"
