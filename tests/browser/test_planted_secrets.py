"""Secrets of catalogs are in nothing that a browser gets or keeps, in no notebook and in no log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Response, WebSocket, expect

from tests.browser.face import Face
from tests.browser.services import DATABASE, Service, Services
from tests.browser.test_services import enter, open_form
from tests.catalogs.jdbc.servers import PASSWORD
from tests.catalogs.rest.servers import TOKEN
from tests.stores.proxy import Proxy, Request, proxied

pytestmark = pytest.mark.browser
FILES_KEY = "the-k3y-of-the-files"
SECRETS = (PASSWORD, TOKEN, FILES_KEY)
NOTEBOOK = "planted.ipynb"
CELLS = [
    "import workbench as wb\n%load_ext workbench\nshelf, vault = wb.connect('shelf'), wb.connect('vault')",
    "print(shelf, vault, shelf.options, vars(shelf.metastore), vars(vault.metastore), shelf.metastore.storages)\nshelf",
    f"t = shelf.get_table('{DATABASE}.orders')\nprint(t.store, t.store.runtime, vars(t.store), t.schema.options)\nt",
    "%paimon connect shelf",
    f"%%paimon\nSELECT * FROM {DATABASE}.orders",
    f"%%paimon\nSELECT * FROM {DATABASE}.`orders$files`",
    "%paimon connect vault",
    f"%%paimon\nSHOW CREATE TABLE {DATABASE}.orders",
    "wb.levels(t)",
    "wb.explain(t)",
    "wb.health(t)",
]
# A header that a library quotes because it cannot be sent.
QUOTED = "import os\nwb.connect('shelf', **{'header.X-Key': os.environ['LAKE_TOKEN'] + '\\n'}).list_databases()"
FAILING = ["shelf.list_databases()", "vault.list_databases()", f"shelf.get_table('{DATABASE}.returns').to_arrow()"]
STORAGE = """() => JSON.stringify([{...localStorage}, {...sessionStorage}])"""
DATABASES = """async () => {
    const texts = [];
    for (const { name } of await indexedDB.databases()) {
        const db = await new Promise(done => {
            const opened = indexedDB.open(name);
            opened.onsuccess = () => done(opened.result);
        });
        for (const store of db.objectStoreNames) {
            texts.push(JSON.stringify(await new Promise(done => {
                const all = db.transaction(store).objectStore(store).getAll();
                all.onsuccess = () => done(all.result);
            })));
        }
        db.close();
    }
    return texts.join();
}"""


class Heard:
    """Everything that a page is sent, and what it writes into its console."""

    def __init__(self, face: Face) -> None:
        self._page, self._responses = face.page, list[Response]()
        self._texts: list[str] = []
        self._page.on("response", self._hear)
        self._page.on("websocket", self._listen)
        self._page.on("console", lambda message: self._texts.append(message.text))

    def _hear(self, response: Response) -> None:
        self._texts += [response.url, json.dumps(response.headers)]
        if response.status not in (204, 304) and ("/api/" in response.url or "/paimon-workbench/" in response.url):
            self._responses.append(response)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: self._texts.append(str(frame)))

    def texts(self) -> list[str]:
        """Return all of it."""
        return [*self._texts, *(each.text() for each in self._responses)]


@pytest.fixture
def shelf(services: Services) -> Iterator[Proxy]:
    """The REST service, which gives keys for the files of each table."""

    def keys(request: Request) -> tuple[int, bytes] | None:
        if not request.target.endswith("/token"):
            return None
        given = {"s3.access-key": "the-id-of-the-key", "s3.secret-key": FILES_KEY}
        return 200, json.dumps({"token": given, "expiresAtMillis": 4_000_000_000_000}).encode()

    port = int(services.get("rest").options["uri"].rpartition(":")[2])
    with proxied(port) as proxy:
        proxy.refuses = keys
        yield proxy


def test_no_secret_leaves_the_server(face: Face, services: Services, shelf: Proxy) -> None:
    rest, postgresql = services.get("rest"), services.get("postgresql")
    heard = Heard(face)
    before = face.lab.catalog_file.read_text()
    options = {
        "shelf": {"metastore": "rest", **rest.options, "uri": f"http://127.0.0.1:{shelf.port}", "token": TOKEN},
        "vault": {"metastore": "jdbc", **postgresql.options, "jdbc.password": PASSWORD},
    }
    options["shelf"]["data-token.enabled"] = "true"
    lines = [
        f"[{name}]\n" + "".join(f"{json.dumps(key)} = {json.dumps(value)}\n" for key, value in each.items())
        for name, each in options.items()
    ]
    face.lab.catalog_file.write_text("\n".join([before, *lines]))
    try:
        for service, secret in ((rest, TOKEN), (postgresql, PASSWORD)):
            add(face, service, secret)
        read_pages(face, shelf, postgresql)
        notebook = run_notebook(face, shelf, postgresql)
    finally:
        face.lab.catalog_file.write_text(before)
    kept = {
        "notebook": notebook,
        "log": face.lab.log.read_text(errors="replace"),
        "storage": face.page.evaluate(STORAGE) + face.page.evaluate(DATABASES),
        "workspace": text_of(face.lab.directory / "workspaces") + text_of(face.lab.directory / "user-settings"),
        **{f"answer {number}": text for number, text in enumerate(heard.texts())},
    }
    # What was looked for is there.
    assert "NoAnswer" in notebook
    assert "No catalog is open" not in notebook
    assert "word 7" in notebook
    assert "TBLPROPERTIES" in notebook
    assert any(FILES_KEY.encode() in body for body in (keys_of(shelf),))
    assert sum("does not answer" in text or "cannot be reached" in text for text in kept.values()) > 1
    for name, text in kept.items():
        for secret in SECRETS:
            assert secret not in text, f"{name}: {text[max(0, text.index(secret) - 200) :][:260]}"


def keys_of(proxy: Proxy) -> bytes:
    """Return what the service gave for the files of tables."""
    found = next(each for each in proxy.seen if each.target.endswith("/token"))
    answer = proxy.refuses(found)
    assert isinstance(answer, tuple)
    return answer[1]


def add(face: Face, service: Service, secret: str) -> None:
    """Add a catalog with a typed secret, after a test of the connection."""
    dialog = open_form(face, service)
    enter(dialog, service.secret, secret)
    dialog.get_by_role("button", name="Test connection").click()
    expect(dialog.get_by_role("status")).to_contain_text("✓ Connected")
    dialog.get_by_label("Name", exact=True).fill(f"typed-{service.secret.rpartition('.')[2]}")
    dialog.get_by_role("button", name="Add").click()
    expect(dialog).to_have_count(0)


def read_pages(face: Face, shelf: Proxy, postgresql: Service) -> None:
    """Open pages of both services, while they answer and while they do not."""
    face.watch.expect_refused("/catalogs/")
    for catalog in ("shelf", "vault", "typed-token", "typed-password"):
        face.show(f"{DATABASE}.orders", catalog=catalog)
        face.choose_tab("Schema")
    with shelf.dead(), postgresql.dead():
        for catalog in ("shelf", "vault"):
            face.show(f"{DATABASE}.returns", catalog=catalog)
            expect(face.table_page.get_by_role("alert")).to_have_count(1)


def run_notebook(face: Face, shelf: Proxy, postgresql: Service) -> str:
    """Run cells that show whatever they can, and return the saved notebook."""
    face.open_notebook(NOTEBOOK, CELLS)
    face.run_cells()
    face.run_cell("%xmode Verbose")
    face.run_cell(QUOTED)
    expect(face.notebook.locator(".jp-Cell").last).to_contain_text("cannot be sent")
    with shelf.dead(), postgresql.dead():
        for cell in FAILING:
            face.run_cell(cell)
            expect(face.notebook.locator(".jp-Cell").last).to_contain_text("NoAnswer")
    face.run("docmanager:save")
    return (face.lab.home / NOTEBOOK).read_text()


def text_of(directory: Path) -> str:
    """Return the texts of all files below a directory."""
    return "".join(each.read_text(errors="replace") for each in directory.rglob("*") if each.is_file())
