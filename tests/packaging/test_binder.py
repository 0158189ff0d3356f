"""Binder's files, and its badge in the README."""

from __future__ import annotations

import os

import binder_badge
import pytest

from workbench.cli.lab import NOTEBOOK

URLS = {
    "https://github.com/someone/lake.git": "gh/someone/lake",
    "https://github.com/someone/lake/": "gh/someone/lake",
    "https://gitlab.com/group/deep/lake": "gl/group%2Fdeep%2Flake",
    "https://git.example.org/lake": "git/https%3A%2F%2Fgit.example.org%2Flake",
}
README = "# Lake\n\n<!-- binder -->\n<!-- end of binder -->\n\nText\n"


@pytest.mark.parametrize(("url", "source"), URLS.items())
def test_the_badge_opens_the_quickstart(url: str, source: str) -> None:
    line = binder_badge.badge(url)
    assert f"(https://mybinder.org/v2/{source}/HEAD?urlpath=lab%2Ftree%2Fpaimon-demo%2Fquickstart.ipynb)" in line
    assert binder_badge.NOTEBOOK.endswith(f"/{NOTEBOOK}")


def test_the_badge_appears_with_a_public_url_and_vanishes_without() -> None:
    project = '[project]\nname = "lake"\n'
    shown = binder_badge.with_badge(README, project + '[project.urls]\nRepository = "https://github.com/a/lake"\n')
    assert shown.count("mybinder.org/v2/gh/a/lake") == 1
    assert binder_badge.with_badge(shown, project) == README


def test_the_badge_of_this_project_is_up_to_date() -> None:
    assert binder_badge.main(["--check"]) == 0


@pytest.mark.parametrize("name", ["postBuild", "start"])
def test_the_scripts_of_the_container_are_executable(name: str) -> None:
    assert os.access(binder_badge.ROOT / "binder" / name, os.X_OK)
