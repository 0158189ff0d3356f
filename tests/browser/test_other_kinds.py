"""A catalog of a registered kind: its form, tests of its connection, its tree, and a service that comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Response, expect

from tests.browser.face import Face
from tests.support.toy_service import LONG_NAME, PASSWORD, VARIABLE

TYPED = "typ3d-and-wrong"


@pytest.fixture
def service(tmp_path: Path) -> Path:
    """The file that exists while the service runs."""
    return tmp_path / "service"


@pytest.fixture
def dialog(face: Face) -> Locator:
    """The dialog that adds a catalog."""
    face.watch.expect_refused("/catalogs")
    face.watch.expect_refused("/connection")
    face.panel.get_by_role("button", name="Add catalog…").click()
    return face.page.get_by_role("dialog")


@pytest.fixture
def answers(face: Face) -> Iterator[list[Response]]:
    """The answers of the server."""
    seen: list[Response] = []

    def note(response: Response) -> None:
        if "/paimon-workbench/" in response.url and response.status not in (204, 304):
            seen.append(response)

    face.page.on("response", note)
    yield seen
    face.page.remove_listener("response", note)


def fill(dialog: Locator, service: Path) -> None:
    """Choose the kind and enter where it is, with the keyboard alone."""
    kind = dialog.get_by_label("Kind of catalog")
    kind.focus()
    kind.press("T")
    expect(kind).to_have_value("toy-service")
    kind.press("Tab")
    page = dialog.page
    for text in (f"toy:{service}", str(service.parent / "toys")):
        page.keyboard.type(text)
        page.keyboard.press("Tab")


def test_a_catalog_of_another_kind(face: Face, dialog: Locator, service: Path, answers: list[Response]) -> None:
    fill(dialog, service)
    error, status = dialog.get_by_role("alert"), dialog.get_by_role("status")
    password = dialog.get_by_role("textbox", name="The password of the user")
    expect(password).to_be_focused()
    expect(password).to_have_attribute("type", "password")
    face.page.keyboard.type(TYPED)
    test = dialog.get_by_role("button", name="Test connection")
    # Enter presses the button that has the focus, and adds nothing.
    test.press("Enter")
    expect(error).to_contain_text(f"The service toy:{service} does not answer (password=***).")
    expect(error).to_contain_text("Start the service.")
    service.write_text("")
    test.press("Enter")
    expect(error).to_have_text("The service refused the password ***.\nCheck the password.")
    dialog.get_by_label("This is the name of an environment variable").check()
    password.fill(VARIABLE)
    test.click()
    expect(status).to_have_text(f"✓ Connected to toy:{service}: 1 database.")
    expect(error).to_have_count(0)
    dialog.get_by_label("Name", exact=True).fill("toys-of-ann")
    dialog.get_by_role("button", name="Add").click()
    row = face.tree.get_by_role("treeitem", name="toys-of-ann, Toy service")
    expect(row).to_have_attribute("aria-expanded", "true")
    browse(face)
    goes_and_comes_back(face, service, row)
    row.click(button="right")
    face.choose_in_menu("Remove")
    face.page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(row).to_have_count(0)
    texts = [each.text() for each in answers]
    assert any("does not answer" in text for text in texts)
    saved = "".join(texts) + face.lab.log.read_text() + face.lab.catalog_file.read_text()
    assert PASSWORD not in saved
    assert TYPED not in saved


def browse(face: Face) -> None:
    """Look at the table, the view, the function, and the table of another format."""
    face.expand("toys")
    expect(face.node("dolls")).to_be_visible()
    face.expand("Views (1)", "Functions (1)", "Other tables (1)")
    other = face.tree.get_by_role("treeitem", name=f"{LONG_NAME}, Not a Paimon table")
    expect(other).to_be_visible()
    other.click()
    expect(face.page.get_by_role("dialog")).to_have_count(0)
    face.node("cheap, view").click()
    dialog = face.page.get_by_role("dialog")
    expect(dialog).to_contain_text("View toys.cheap")
    expect(dialog).to_contain_text("SELECT id FROM dolls WHERE price < 5")
    expect(dialog).to_contain_text("Query for spark")
    expect(dialog.get_by_role("cell", name="BIGINT NOT NULL")).to_be_visible()
    face.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    face.node("area, function").press("Enter")
    expect(dialog).to_contain_text("length * width")
    face.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def goes_and_comes_back(face: Face, service: Path, row: Locator) -> None:
    """Refresh the catalog while its service is down, and try again once it is back."""
    service.unlink()
    row.press("F5")
    failed = face.tree.locator('[data-kind="failed"]')
    expect(failed).to_contain_text("does not answer (password=***)")
    # What was read before is kept.
    expect(face.node("dolls")).to_be_visible()
    service.write_text("")
    failed.get_by_text("Try again").click()
    expect(failed).to_have_count(0)
    expect(face.node("dolls")).to_be_visible()


def test_a_service_that_never_answers(face: Face, dialog: Locator, service: Path) -> None:
    service.write_text("slow")
    fill(dialog, service)
    face.watch.expect_refused("connection")
    dialog.get_by_role("button", name="Test connection").click()
    expect(dialog.get_by_role("status")).to_have_text(f"Connecting to toy:{service}…")
    expect(dialog.locator(".pw-form-seconds")).to_have_text("1 s")
    dialog.get_by_role("button", name="Stop").click()
    expect(dialog.get_by_role("status")).to_be_empty()
    expect(dialog.get_by_role("alert")).to_have_count(0)
    dialog.get_by_role("button", name="Test connection").click()
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)


def test_a_saved_secret_is_announced(face: Face, dialog: Locator, service: Path) -> None:
    fill(dialog, service)
    dialog.get_by_role("textbox", name="The password of the user").fill(TYPED)
    note = dialog.locator(".pw-form-note")
    expect(note).to_contain_text("until the Jupyter server stops")
    dialog.get_by_label("Save to my catalog file").check()
    expect(note).to_contain_text(f"saved as readable text in {face.lab.catalog_file}")
    dialog.get_by_label("This is the name of an environment variable").check()
    expect(note).to_be_empty()
    face.page.keyboard.press("Escape")
