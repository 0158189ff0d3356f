"""Signatures for Data Lake Formation, as Java's own classes compute them (tests/catalogs/rest compares with these)."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workbench.base.errors import CatalogError
from workbench.catalog.rest.auth import BearerTokens, Request, auth_for
from workbench.catalog.rest.dlf import AccessKey, DefaultSigner, DlfProvider, OpenApiSigner

NOW = datetime(2026, 11, 28, 8, 9, 10, tzinfo=UTC)
PATH = "/v1/p/databases/d/tables/t%24branch_b"
POST = Request("POST", PATH, body='{"a":"ä"}')
GET = Request("GET", PATH, {"tableNamePattern": "ord%", "maxResults": "10"})
KEY = AccessKey("the-id", "the-secret", "the-token")
BASIC = {"metastore": "rest", "uri": "http://cn-hangzhou-vpc.dlf.example.com", "token.provider": "dlf"}


def test_the_default_signature_of_a_request_with_a_body() -> None:
    headers = DefaultSigner("cn-hangzhou").headers(POST, KEY, "dlf.example.com", NOW)
    assert headers == {
        "x-dlf-date": "20261128T080910Z",
        "x-dlf-version": "v1",
        "x-dlf-security-token": "the-token",
        "x-dlf-content-sha256": "UNSIGNED-PAYLOAD",
        "Content-Type": "application/json",
        "Content-MD5": "mycCCDab3yWWssWrwSu+GQ==",
        "Authorization": "DLF4-HMAC-SHA256 Credential=the-id/20261128/cn-hangzhou/DlfNext/aliyun_v4_request,"
        "Signature=e901a8f8d03888e2180b9f7dcccc678110f4358073d0930282b22d30bccc2883",
    }


def test_the_default_signature_of_a_query() -> None:
    headers = DefaultSigner("cn-hangzhou").headers(GET, AccessKey("the-id", "the-secret"), "dlf.example.com", NOW)
    assert headers["Authorization"].endswith("3495c8ff15917e29b7ae242b47bbf56532e6c7441b7dee6de180f8d77cc36d57")
    assert "Content-MD5" not in headers


def test_the_signature_of_the_open_api() -> None:
    signed = OpenApiSigner(lambda: "a-nonce").headers(POST, KEY, "dlf.example.com", NOW)
    assert signed["Date"] == "Sat, 28 Nov 2026 08:09:10 GMT"
    assert signed["Authorization"].startswith("acs the-id:")


def test_providers_are_chosen_by_name() -> None:
    assert isinstance(auth_for({"token.provider": "bear", "token": "t"}), BearerTokens)
    with pytest.raises(CatalogError, match=r"no token provider 'beer'.*'bear'"):
        auth_for({"token.provider": "beer"})
    with pytest.raises(CatalogError, match=r"requires option 'token.provider'.*bear, dlf"):
        auth_for({})
    with pytest.raises(CatalogError, match=r"requires option 'token'"):
        auth_for({"token.provider": "bear"})
    with pytest.raises(CatalogError, match=r"requires option 'dlf.access-key-secret'"):
        auth_for(BASIC)
    with pytest.raises(CatalogError, match=r"'sha9'.*default or openapi"):
        auth_for({**BASIC, "dlf.signing-algorithm": "sha9"})
    with pytest.raises(CatalogError, match=r"'dlf.token-loader' cannot be 'kms'"):
        auth_for({**BASIC, "dlf.token-loader": "kms"})
    with pytest.raises(CatalogError, match=r"'dlf.region'"):
        auth_for({**BASIC, "uri": "http://127.0.0.1"})


def test_the_region_and_the_algorithm_follow_from_the_address() -> None:
    keys = {"dlf.access-key-id": "i", "dlf.access-key-secret": "s"}
    signed = auth_for({**BASIC, **keys}).headers(POST)
    assert "/cn-hangzhou/DlfNext/" in signed["Authorization"]
    signed = auth_for({**BASIC, **keys, "uri": "https://dlfnext.cn-beijing.aliyuncs.com"}).headers(POST)
    assert signed["Authorization"].startswith("acs i:")
    assert signed["Host"] == "dlfnext.cn-beijing.aliyuncs.com"


def test_a_key_in_a_file_is_read_again_before_it_expires(tmp_path: Path) -> None:
    file = tmp_path / "token"
    provider = auth_for({**BASIC, "dlf.token-path": str(file)})
    with pytest.raises(CatalogError, match=r"cannot be read"):
        provider.headers(POST)
    file.write_text(json.dumps({"AccessKeyId": "first", "AccessKeySecret": "s", "Expiration": "2001-01-01T00:00:00Z"}))
    assert "Credential=first/" in provider.headers(POST)["Authorization"]
    file.write_text(json.dumps({"AccessKeyId": "second", "AccessKeySecret": "s", "Expiration": "2199-01-01T00:00:00Z"}))
    assert "Credential=second/" in provider.headers(POST)["Authorization"]
    file.write_text('{"AccessKeyId": "third", "AccessKeySecret": "hush"}')
    assert "Credential=second/" in provider.headers(POST)["Authorization"]
    file.write_text('{"AccessKeySecret": "hush"')
    with pytest.raises(CatalogError, match=r"does not contain an access key") as caught:
        auth_for({**BASIC, "dlf.token-path": str(file)}).headers(POST)
    assert "hush" not in str(caught.value)
    assert "hush" not in repr(AccessKey("i", "hush", "hush"))


@pytest.fixture
def metadata() -> Iterator[str]:
    """The address of a service that gives keys to a machine by its role."""
    answers = {"/roles/": b"the-role", "/roles/the-role": b'{"AccessKeyId": "of-role", "AccessKeySecret": "s"}'}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path in answers else 404)
            self.end_headers()
            self.wfile.write(answers.get(self.path, b""))

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/roles/"
    server.shutdown()
    server.server_close()


def test_the_role_of_a_machine_gives_a_key(metadata: str) -> None:
    options = {**BASIC, "dlf.token-loader": "ecs", "dlf.token-ecs-metadata-url": metadata}
    assert "Credential=of-role/" in auth_for(options).headers(POST)["Authorization"]
    with pytest.raises(CatalogError, match=r"does not answer"):
        auth_for({**options, "dlf.token-ecs-role-name": "other"}).headers(POST)


def test_a_key_without_expiry_is_loaded_once() -> None:
    loads: list[float] = []

    def load() -> AccessKey:
        loads.append(time.time())
        return AccessKey("i", "s")

    provider = DlfProvider(DefaultSigner("cn-hangzhou"), "host", load)
    provider.headers(GET)
    provider.headers(GET)
    assert len(loads) == 1
