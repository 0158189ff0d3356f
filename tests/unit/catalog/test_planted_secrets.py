"""Secrets of catalogs in errors: their texts, their causes, the variables of their frames, as notebooks keep them."""

from __future__ import annotations

import copy
import pickle
import time
import traceback
import uuid
from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import workbench as wb
from workbench.base.secrets import HIDDEN, SecretText, keep_out_of_messages
from workbench.base.tracebacks import render
from workbench.catalog.jdbc.dialects import DIALECTS
from workbench.catalog.jdbc.url import parse_url
from workbench.catalog.rest.auth import auth_for
from workbench.catalog.rest.client import RestClient
from workbench.catalog.rest.dlf import AccessKey
from workbench.catalog.rest.tokens import TableTokens

# Nothing listens on this port.
CLOSED = "127.0.0.1:1"


@pytest.fixture
def secret() -> str:
    """A secret that no other test knows."""
    return f"planted-{uuid.uuid4().hex}"


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    """The shell of a kernel."""
    yield InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    InteractiveShell.clear_instance()


def shown_by(error: BaseException) -> str:
    """Return everything that a program may show of an error."""
    frames = traceback.TracebackException.from_exception(error, capture_locals=True)
    # The frame of the test knows the secret.
    frames.stack.pop(0)
    return f"{error}{error!r}{error.args}{''.join(frames.format())}"


def test_errors_never_contain_the_secrets_of_catalogs(secret: str) -> None:
    keep_out_of_messages([f"{secret}\n"])
    error = wb.CatalogError(f"The service refused {secret}", f"Is {secret} right?")
    assert str(error) == f"The service refused {HIDDEN}. Is {HIDDEN} right?"
    for each in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert secret not in f"{each}{each!r}{each.args}{each.message}{each.hint}"
    assert str(wb.NoAnswer("Cannot reach http://ada:pw@lake.")) == f"Cannot reach http://{HIDDEN}@lake."


@pytest.mark.parametrize("mode", ["Context", "Verbose"])
def test_tracebacks_in_cells_hide_secrets_in_variables_and_causes(
    secret: str, mode: str, shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_out_of_messages([secret])
    monkeypatch.setattr(shell.InteractiveTB, "mode", mode)

    def fails(given: dict[str, str]) -> None:
        try:
            raise KeyError(given["token"])
        except KeyError as error:
            raise wb.CatalogError("The token is wrong.") from error

    def cell() -> None:
        fails({"token": secret})

    with pytest.raises(wb.CatalogError) as raised:
        cell()
    shown = "\n".join(render(raised.value, full=mode == "Verbose"))
    assert "The token is wrong." in shown
    assert ("direct cause" in shown) == (mode == "Verbose")
    assert secret not in shown


def test_a_token_is_no_variable_of_an_error(secret: str) -> None:
    provider = auth_for({"token.provider": "bear", "token": secret})
    client = RestClient(f"http://{CLOSED}", {}, provider)
    with pytest.raises(wb.NoAnswer, match="cannot be reached") as raised:
        client.get("/v1/config")
    assert secret not in shown_by(raised.value)


def test_a_token_that_cannot_be_sent_is_not_shown(secret: str) -> None:
    for header in (f"{secret}\nX: y", f"{secret}–"):
        client = RestClient(f"http://{CLOSED}", {"X-Key": header}, auth_for({"token.provider": "bear", "token": "t"}))
        with pytest.raises(wb.CatalogError, match="'X-Key' contains characters that cannot be sent") as raised:
            client.get("/v1/config")
        assert secret not in f"{raised.value}{raised.value.__cause__}{raised.value.__context__}"
    headers = auth_for({"token.provider": "bear", "token": f"{secret}\n"})
    with pytest.raises(wb.NoAnswer):
        RestClient(f"http://{CLOSED}", {}, headers).get("/v1/config")


def test_a_password_is_no_variable_of_an_error(secret: str) -> None:
    url = parse_url({"uri": "jdbc:postgresql://db/lake", "jdbc.password": secret, "jdbc.sslfactory": "x"})
    with pytest.raises(wb.Unsupported, match="'sslfactory'") as raised:
        DIALECTS["postgresql"].connect(url, is_read_only=False)
    assert secret not in shown_by(raised.value)
    assert url.password == secret
    assert repr([SecretText(secret)]) == f"['{HIDDEN}']"


def test_secrets_that_a_service_gives_are_kept_out_of_messages(secret: str) -> None:
    TableTokens(lambda: ({"s3.secret-key": secret, "s3.endpoint": "http://the-endpoint"}, time.time() + 60)).current()
    assert str(wb.CatalogError(f"http://the-endpoint refused {secret}.")) == f"http://the-endpoint refused {HIDDEN}."
    AccessKey.from_json(f'{{"AccessKeyId": "id", "AccessKeySecret": "{secret}-2"}}', "The file")
    assert secret not in str(wb.CatalogError(f"Refused {secret}-2."))
