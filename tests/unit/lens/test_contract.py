"""The browser's TypeScript types match the Python values."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import Literal

import pytest

from workbench.lens.wire import Int64
from workbench.server import typescript
from workbench.server.endpoint import Endpoint
from workbench.server.parameters import CatalogOptions, Limit, SnapshotId, Text
from workbench.server.requests import CatalogRequest, NoParameters


def test_the_committed_files_are_current() -> None:
    assert typescript.main(["--check"]) == 0, "run python -m workbench.server.typescript"


def test_lines_are_short_and_values_are_self_contained() -> None:
    text = typescript.contract_text()
    # Lines with paths cannot be wrapped.
    assert max(len(line) for line in text.splitlines() if not line.startswith("    path: ")) <= 80
    names = re.findall(r"^export interface (\w+)", text, re.MULTILINE)
    assert len(names) == len(set(names))
    used = set(re.findall(r": (\w+Value)\b", text))
    assert used <= set(names)
    assert {"SummaryValue", "LevelsValue", "TimelineValue", "SchemaHistoryValue", "Page", "ErrorValue"} <= set(names)


def test_check_reports_a_stale_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(typescript, "FOLDER", tmp_path)
    contract, palette = tmp_path / "contract.ts", tmp_path / "views" / "palette.ts"
    palette.parent.mkdir()
    contract.write_text(typescript.contract_text())
    palette.write_text("old")
    assert typescript.main(["--check"]) == 1
    message = capsys.readouterr().err
    assert f"{palette} is outdated. Run python -m workbench.server.typescript" in message
    assert str(contract) not in message
    assert palette.read_text() == "old"
    assert typescript.main([]) == 0
    assert typescript.main(["--check"]) == 0
    assert "['l0', '#ffe3c2', '#5a3a14']" in palette.read_text()


@dataclass(frozen=True)
class Inner:
    """An inner one."""

    each: tuple[Int64 | None, ...]
    word: Literal["one-of-several-long-words", "another-of-several-long-words", "the-last-of-several-long-words"]


@dataclass(frozen=True)
class Outer:
    """An ``outer`` one, or None."""

    inner: tuple[Inner, ...]
    place: float
    strange: bytes


@dataclass(frozen=True)
class Pick(CatalogRequest):
    """The selection."""

    number: SnapshotId
    options: CatalogOptions = field(default_factory=dict)
    limit: Limit = 3
    search: Text | None = None


def contract_of(request: type, value: type) -> str:
    endpoint = Endpoint("pick", "catalogs/{catalog}/pick", request, lambda: value, None)
    return typescript.contract_text({"pick": endpoint})


def test_values_as_typescript() -> None:
    text = contract_of(NoParameters, Inner)
    assert "  each: (Int64 | null)[];\n  word:\n    | 'one-of-several-long-words'\n" in text
    assert "export type NoParameters = Record<string, never>;" in text
    with pytest.raises(TypeError, match="bytes"):
        contract_of(NoParameters, Outer)


def test_requests_as_typescript() -> None:
    text = contract_of(Pick, Inner)
    request = "export interface Pick {\n  catalog: string;\n  number: Int64;\n  options?: Record<string, string>;\n"
    assert f"{request}  limit?: number;\n  search?: string | null;\n}}\n" in text
    assert "export interface Requests {\n  pick: Pick;\n}\n" in text
    assert "  pick: {\n    method: 'GET',\n    path: 'catalogs/{catalog}/pick'\n  }\n" in text


def test_two_values_of_one_name_are_refused() -> None:
    one, other = make_dataclass("RunValue", [("rows", int)]), make_dataclass("RunValue", [("files", int)])
    one.__module__, other.__module__ = "one", "other"
    endpoints = {
        name: Endpoint(name, name, NoParameters, lambda value=value: value, lambda *_: None)
        for name, value in (("one", one), ("other", other))
    }
    with pytest.raises(ValueError, match="other and one both define RunValue"):
        typescript.contract_text(endpoints)
