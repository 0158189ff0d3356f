"""Catalogs of services: added by their forms, browsed, failing, and coming back."""

from __future__ import annotations

import time

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.face import Face
from tests.browser.services import DATABASE, SERVICES, Service, Services
from tests.browser.test_accessibility import violations

pytestmark = pytest.mark.browser
NAME = "registered"
WRONG = "wr0ng-and-typed"
ERROR_SECONDS = 10
TABS = ("Data", "Timeline", "Levels", "Schema", "Overview")


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest, services: Services) -> Service:
    """A running service."""
    return services.get(request.param)


def test_a_catalog_of_a_service(face: Face, service: Service) -> None:
    add(face, service)
    browse(face, service)
    dies_and_comes_back(face, service)


@pytest.mark.long
def test_a_service_that_falls_silent(face: Face, service: Service) -> None:
    add(face, service)
    face.expand(DATABASE)
    expect(face.node("returns")).to_be_visible()
    failed = face.tree.locator('[data-kind="failed"]')
    # A metastore that answered within the last second is believed to answer again.
    face.page.wait_for_timeout(1500)
    with service.silent():
        began = time.monotonic()
        face.panel.get_by_role("button", name="Refresh all").click()
        expect(failed).to_contain_text(service.address)
        assert time.monotonic() - began < ERROR_SECONDS
        expect(face.node("returns")).to_be_visible()
    expect(failed).to_have_count(0)
    expect(face.node("returns")).to_be_visible()


def open_form(face: Face, service: Service) -> Locator:
    """Open the dialog that adds a catalog, and enter what the service needs, except its secret."""
    for part in ("/connection", "/catalogs"):
        face.watch.expect_refused(part)
    face.panel.get_by_role("button", name="Add catalog…").click()
    dialog = face.page.get_by_role("dialog")
    dialog.get_by_label("Kind of catalog").select_option(service.title)
    for option, value in service.options.items():
        if option != service.secret:
            enter(dialog, option, value)
    if service.more:
        dialog.get_by_text("Other options and credentials").click()
        dialog.get_by_label("Options, one per line: name = value").fill(service.more)
    return dialog


def field_of(dialog: Locator, option: str) -> Locator:
    """Return the field of an option."""
    return dialog.locator(".pw-form-line").filter(has=code_of(dialog, option)).locator("input, select")


def code_of(dialog: Locator, option: str) -> Locator:
    """Return the name of an option in its label."""
    return dialog.page.locator("code").get_by_text(option, exact=True)


def enter(dialog: Locator, option: str, value: str) -> None:
    """Enter a value as a user does."""
    field = field_of(dialog, option)
    if field.evaluate("each => each.tagName") == "SELECT":
        field.select_option(value)
    else:
        field.fill(value)


def add(face: Face, service: Service) -> None:
    """Test wrong values, then the right ones, and add the catalog."""
    dialog = open_form(face, service)
    error, status = dialog.get_by_role("alert"), dialog.get_by_role("status")
    test = dialog.get_by_role("button", name="Test connection")
    uri = service.options["uri"]
    if service.secret:
        enter(dialog, service.secret, WRONG)
        test.click()
        expect(error).to_contain_text(service.address)
        expect(error).to_contain_text(f"'{service.secret}'")
        assert WRONG not in error.inner_text()
        group = dialog.locator(".pw-form-secret").filter(has=code_of(dialog, service.secret))
        group.get_by_label("This is the name of an environment variable").check()
        enter(dialog, service.secret, service.options[service.secret])
    enter(dialog, "uri", service.wrong_address)
    began = time.monotonic()
    test.click()
    expect(error).to_contain_text(service.wrong_address)
    assert time.monotonic() - began < ERROR_SECONDS
    assert violations(face, ".pw-form") == []
    enter(dialog, "uri", uri)
    test.click()
    expect(status).to_contain_text(f"✓ Connected to {service.address}")
    expect(error).to_have_count(0)
    dialog.get_by_label("Name", exact=True).fill(NAME)
    dialog.get_by_role("button", name="Add").click()
    expect(dialog).to_have_count(0)
    expect(row_of(face, service)).to_have_attribute("aria-expanded", "true")


def row_of(face: Face, service: Service) -> Locator:
    """The line of the catalog."""
    return face.node(f"{NAME}, {service.title}")


def browse(face: Face, service: Service) -> None:
    """Look at the tables, at everything else in the database, and at the page of a table."""
    face.expand(DATABASE)
    expect(face.node("returns")).to_be_visible()
    dialog = face.page.get_by_role("dialog")
    for group, entry in service.groups.items():
        face.expand(group)
        line = face.tree.get_by_role("treeitem", name=entry)
        expect(line).to_be_visible()
        line.click(button="right")
        face.choose_in_menu("Copy name")
        assert face.clipboard == f"{DATABASE}.{entry.partition(',')[0]}"
        if "Not a Paimon table" not in entry:
            line.click()
            expect(dialog).to_contain_text(f"{DATABASE}.{entry.partition(',')[0]}")
            assert violations(face, ".pw-entry") == []
            face.page.keyboard.press("Escape")
            expect(dialog).to_have_count(0)
    face.node("orders").click()
    face.settle()
    for tab in TABS:
        face.choose_tab(tab)
        expect(face.table_page.get_by_role("alert")).to_have_count(0)
    expect(face.table_page.get_by_role("gridcell", name="word 7").first).to_be_visible()


def dies_and_comes_back(face: Face, service: Service) -> None:
    """Look at what the panel says while the service is dead; it recovers without the user."""
    page, failed = face.table_page, face.tree.locator('[data-kind="failed"]')
    trouble = page.get_by_role("alert")
    with service.dead():
        began = time.monotonic()
        face.panel.get_by_role("button", name="Refresh all").click()
        expect(failed).to_have_count(1)
        expect(failed).to_contain_text(service.address)
        page.get_by_role("button", name="Refresh").click()
        expect(trouble).to_contain_text(service.address)
        face.settle()
        assert violations(face, ".pw-panel", ".pw-page") == []
        # What was read is still there.
        expect(face.node("returns")).to_be_visible()
        expect(page.locator(".pw-figures")).to_be_visible()
        expect(page.get_by_role("gridcell", name="word 7").first).to_be_visible()
        assert time.monotonic() - began < ERROR_SECONDS
    expect(failed).to_have_count(0)
    expect(trouble).to_have_count(0)
    expect(face.node("returns")).to_be_visible()
