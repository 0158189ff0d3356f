"""A store with changes layered on top: the store below is unchanged, and reads of the overlay see the changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import WorkbenchError
from workbench.storage.file_io import FileIO, join
from workbench.storage.open import file_io_for
from workbench.storage.overlay import OverlayFileIO, freeze, frozen_in, open_overlay, walk


@pytest.fixture(params=["local", "memory"])
def below(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[FileIO, str]:
    base = str(tmp_path / "below") if request.param == "local" else f"memory://{tmp_path.name}"
    files = file_io_for(base)
    for name in ("a/1", "a/2", "a/b/3", "frozen/x", "frozen/deep/y", "frozen/LATEST"):
        files.write_bytes(join(base, name), name.encode())
    return files, base


@pytest.fixture
def overlay(below: tuple[FileIO, str], tmp_path: Path) -> OverlayFileIO:
    files, base = below
    folder = str(tmp_path / "folder")
    freeze(files, folder, [join(base, "frozen"), join(base, "missing")], ["LATEST"])
    return open_overlay(files, folder)


def content(files: FileIO, base: str) -> dict[str, bytes]:
    return {each.path.removeprefix(f"{base}/"): files.read_bytes(each.path) for each in walk(files, base)}


def test_changes_remain_in_the_overlay(below: tuple[FileIO, str], overlay: OverlayFileIO) -> None:
    files, base = below
    before = content(files, base)
    assert content(overlay, base) == before
    overlay.write_bytes(join(base, "a/1"), b"new")
    overlay.delete(join(base, "a/2"))
    overlay.delete_directory(join(base, "a/b"))
    overlay.rename(join(base, "frozen/deep"), join(base, "moved"))
    assert overlay.put_if_absent(join(base, "a/2"), b"again")
    assert not overlay.put_if_absent(join(base, "frozen/x"), b"no")
    expected = {
        "a/1": b"new",
        "a/2": b"again",
        "frozen/x": b"frozen/x",
        "frozen/LATEST": b"frozen/LATEST",
        "moved/y": b"frozen/deep/y",
    }
    assert content(overlay, base) == expected
    assert not overlay.exists(join(base, "a/b"))
    assert content(files, base) == before
    assert content(open_overlay(files, overlay.directory), base) == expected
    assert content(overlay.before(), base) == before


def test_files_deleted_in_the_overlay_remain_deleted(below: tuple[FileIO, str], overlay: OverlayFileIO) -> None:
    files, base = below
    path = join(base, "a/1")
    overlay.write_bytes(path, b"new")
    overlay.delete(path)
    assert not overlay.exists(path)
    with pytest.raises(FileNotFoundError):
        overlay.read_bytes(path)
    overlay.delete_directory(join(base, "a"))
    overlay.make_directory(join(base, "a"))
    assert overlay.list_files(join(base, "a")) == []
    assert overlay.delete_empty_directory(join(base, "a"))
    assert not overlay.exists(join(base, "a"))
    # A file that appears below afterwards was not deleted, so it is visible.
    files.write_bytes(join(base, "a/later"), b"x")
    assert overlay.read_bytes(join(base, "a/later")) == b"x"


def test_frozen_directories_do_not_change(below: tuple[FileIO, str], overlay: OverlayFileIO) -> None:
    files, base = below
    before = content(overlay, base)
    files.write_bytes(join(base, "frozen/x"), b"other")
    files.write_bytes(join(base, "frozen/z"), b"added")
    files.write_bytes(join(base, "missing/w"), b"added")
    files.delete(join(base, "frozen/deep/y"))
    assert content(overlay, base) == before
    status = overlay.status(join(base, "frozen/LATEST"))
    real = files.status(join(base, "frozen/LATEST"))
    assert status is not None
    assert real is not None
    assert abs(status.modified_millis - real.modified_millis) <= 1


def test_a_closed_overlay_is_not_the_store_below(below: tuple[FileIO, str], overlay: OverlayFileIO) -> None:
    _, base = below
    overlay.close()
    for use in (
        lambda: overlay.read_bytes(join(base, "a/1")),
        lambda: overlay.list_files(base),
        lambda: overlay.exists(join(base, "a/1")),
        lambda: overlay.write_bytes(join(base, "a/1"), b""),
        lambda: overlay.delete(join(base, "a/1")),
        lambda: overlay.open_input(join(base, "a/1")),
        lambda: overlay.open_output(join(base, "a/1")),
    ):
        with pytest.raises(WorkbenchError, match="closed"):
            use()


def test_folders_and_files_are_distinguished(tmp_path: Path) -> None:
    assert frozen_in(str(tmp_path / "missing")) is None
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(WorkbenchError, match="not part of a sandbox"):
        frozen_in(str(tmp_path / "other"))
    with pytest.raises(WorkbenchError, match="not part of a sandbox"):
        frozen_in(str(tmp_path / "other" / "file"))
    with pytest.raises(WorkbenchError, match="no sandbox"):
        open_overlay(file_io_for(tmp_path), str(tmp_path / "missing"))
