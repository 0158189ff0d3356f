"""What a card shows of work: its state and steps, as a value, as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from workbench.base.markup import STYLE, escape, printable
from workbench.lens.wire import Int64

JOB_MIME = "application/vnd.paimon-workbench.job+json"
# Increased when the extension cannot draw older values any longer.
JOB_VERSION = 1
State = Literal["running", "stopping", "failed", "canceled"]
_LONGEST_TITLE = 120


@dataclass(frozen=True)
class StepValue:
    """A piece of work, with the seconds since it began. ``total`` is None while it is unknown."""

    label: str
    done: Int64
    total: Int64 | None
    unit: str
    detail: str
    seconds: float
    finished: bool


@dataclass(frozen=True)
class JobValue:
    """Work that runs, or that ended without a result; a result takes the place of its card.

    ``id`` is also the id of its output and of its comm. ``number`` is the number of a job in the background, or None
    for work whose cell waits for it. ``message`` says why it ended; further lines mark the place in the statement.
    """

    version: int
    id: str
    number: int | None
    state: State
    title: str
    steps: tuple[StepValue, ...]
    seconds: float
    message: str


def title_of(statements: Iterable[str]) -> str:
    """Return the first statement in one short line, and the number of the others."""
    first, *others = statements
    line = " ".join(first.split())
    short = line if len(line) <= _LONGEST_TITLE else f"{line[: _LONGEST_TITLE - 1]}…"
    return f"{short} (and {len(others)} more)" if others else short


def step_text(step: StepValue) -> str:
    """Return ``Writing shop.orders: 3 of 8 files · 1.2 s``."""
    done = f": {step.done:,} of {step.total:,} {step.unit}" if step.total else f": {step.done:,} {step.unit}"
    detail = f", {step.detail}" if step.detail else ""
    return f"{step.label}{done if step.total or step.done else ''}{detail} · {step.seconds:,.1f} s"


def fraction_of(step: StepValue) -> float | None:
    """Return the completed part of a step, 0 to 1, or None while the total is unknown."""
    if step.finished:
        return 1.0
    return min(1.0, step.done / step.total) if step.total else None


def job_line(value: JobValue) -> str:
    """Return the state in one line, such as ``Job 2: running · 3.1 s · INSERT INTO t SELECT …``."""
    name = value.state.capitalize() if value.number is None else f"Job {value.number}: {value.state}"
    return f"{name} · {value.seconds:,.1f} s{f' · {value.title}' if value.title else ''}"


def job_text(value: JobValue) -> str:
    """Return the state, the open steps and the message as lines of text."""
    open_steps = [step_text(step) for step in value.steps if not step.finished]
    lines = [job_line(value), *(f"  {each}" for each in open_steps), *value.message.splitlines()]
    return "\n".join(map(printable, lines))


def job_html(value: JobValue) -> str:
    """Return the card as HTML, for programs without this library's extension."""
    steps = "".join(f'<p class="wb-line">{_bar(step)} {escape(step_text(step))}</p>' for step in value.steps)
    message = f'<pre class="wb-line">{escape(value.message)}</pre>' if value.message else ""
    how = ""
    if value.number is not None and value.state == "running":
        how = f'<p class="wb-note">Cancel it with %paimon cancel {value.number}.</p>'
    return f'{STYLE}<div class="wb-grid"><p class="wb-line">{escape(job_line(value))}</p>{steps}{message}{how}</div>'


def _bar(step: StepValue) -> str:
    fraction = fraction_of(step)
    value = "" if fraction is None else f' value="{fraction:.3f}"'
    return f'<progress max="1"{value} aria-label="{escape(step.label)}"></progress>'
