"""Attributes that are computed when they are first read."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from workbench.base.lazy import cached_property


class Opened:
    calls = 0

    def __init__(self, barrier: Barrier | None = None) -> None:
        self.barrier = barrier

    @cached_property
    def footer(self) -> object:
        """The content of the footer."""
        self.calls += 1
        if self.barrier is not None:
            self.barrier.wait(timeout=10)
        return object()


def test_value_is_computed_once() -> None:
    opened = Opened()
    assert opened.footer is opened.footer
    assert opened.calls == 1
    assert Opened.footer.__doc__ == "The content of the footer."


def test_instances_do_not_wait_for_each_other() -> None:
    barrier = Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda each: each.footer, [Opened(barrier), Opened(barrier)])
    assert first is not second
