"""Running the statements of a case in a Spark session."""

from __future__ import annotations

import getpass
import re
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path
from textwrap import shorten
from typing import Any

from tests.spark.official.corpus import Case, answer_of, masked
from tests.spark.official.expressions import Expressions
from tests.spark.official.steps import STEPS, Place

_SET = re.compile(r"SET\s+`?([\w.*-]+)`?\s*=", re.IGNORECASE)


def run_case(session: Any, case: Case, folder: Path, failures: tuple[type[Exception], ...]) -> list[dict[str, Any]]:
    """Run a case in an empty database, and return the answer of each statement.

    Args:
        session: A Spark session with the catalog ``paimon``.
        case: The case.
        folder: An empty folder for files of the case.
        failures: The exceptions that mean that a statement failed.

    Returns:
        For each statement ``columns`` and ``rows``, or ``failure`` with the first line of the message.
    """
    session.sql("DROP DATABASE IF EXISTS paimon.lab CASCADE")
    session.sql("CREATE DATABASE paimon.lab")
    session.sql("USE paimon.lab")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    given = {"{folder}": str(folder)}
    try:
        return [_answer(session, _filled(text, given), given, folder, failures) for text in case.statements]
    finally:
        for key in {found[1] for text in case.statements if (found := _SET.match(text))}:
            session.conf.unset(key)


def _filled(text: str, given: dict[str, str]) -> str:
    for name, value in given.items():
        text = text.replace(name, value)
    return text


def _answer(
    session: Any, text: str, given: dict[str, str], folder: Path, failures: tuple[type[Exception], ...]
) -> dict[str, Any]:
    if text == "@mark":
        given.update(_mark())
        return answer_of(text, [], [], "")
    user = getpass.getuser()
    try:
        frame = _result(session, text, folder)
        if frame is None:
            return answer_of(text, [], [], user)
        columns = [(each.name, each.dataType.simpleString()) for each in frame.schema.fields]
        return answer_of(text, columns, [tuple(row) for row in frame.collect()], user)
    except failures as error:
        return {"failure": masked(_first_line(error), user)}


def _result(session: Any, text: str, folder: Path) -> Any:
    if text.startswith(">>>"):
        return Expressions(session, folder).value_of(text.removeprefix(">>>").strip())
    return STEPS[text[1:]](Place(session, folder)) if text[0] == "@" else session.sql(text)


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    if "An error occurred while calling" in text and len(lines) > 1:
        text = lines[1]
    return shorten(text, 160, placeholder=" …")


def _mark() -> dict[str, str]:
    time.sleep(0.05)
    now = datetime.now(UTC)
    time.sleep(0.05)
    text = now.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    return {"{mark}": str(int(now.timestamp() * 1000)), "{mark_text}": text}
