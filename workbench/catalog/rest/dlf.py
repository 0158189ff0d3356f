"""Signed requests for Alibaba Cloud's Data Lake Formation (Java ``DLFAuthProvider``): the signature is computed from an
access key, which options, a file or the metadata service of the machine provide."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import threading
import time
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Protocol
from urllib.parse import unquote_plus

from workbench.base.errors import CatalogError
from workbench.base.secrets import keep_out_of_messages
from workbench.catalog.rest.auth import AuthProvider, Request, required
from workbench.catalog.rest.paths import encoded

_METADATA_URL = "http://100.100.100.200/latest/meta-data/Ram/security-credentials/"
_METADATA_SECONDS = 5
_RENEWED_BEFORE = 3600.0
_REGION = re.compile(r"(?:pre-)?([a-z]+-[a-z]+(?:-\d+)?)")
_JSON = "application/json"
_UNSIGNED = "UNSIGNED-PAYLOAD"
_PRODUCT, _REQUEST_TYPE = "DlfNext", "aliyun_v4_request"


@dataclass(frozen=True)
class AccessKey:
    """An access key, and a security token if it is temporary. ``expires`` is in seconds since the epoch."""

    id: str
    secret: str = field(repr=False)
    security_token: str | None = field(default=None, repr=False)
    expires: float | None = None

    @classmethod
    def from_json(cls, text: str | bytes, source: str) -> AccessKey:
        """Return the key in the answer of a metadata service or in a file. Raises CatalogError without its text."""
        try:
            document = json.loads(text)
            expiration = document.get("Expiration")
            expires = None if expiration is None else datetime.fromisoformat(expiration).timestamp()
            key = cls(document["AccessKeyId"], document["AccessKeySecret"], document.get("SecurityToken"), expires)
        except (ValueError, KeyError, TypeError, AttributeError):
            # The text contains the key, and the error may quote it.
            raise CatalogError(f"{source} does not contain an access key.", "See option 'dlf.token-loader'.") from None
        keep_out_of_messages(filter(None, (key.secret, key.security_token)))
        return key


class Signer(Protocol):
    """An algorithm that signs requests."""

    def headers(self, request: Request, key: AccessKey, host: str, now: datetime) -> dict[str, str]:
        """Return the headers of a signed request, with the signature."""
        ...


class DefaultSigner(Signer):
    """Signs as the service's own endpoints require (``DLF4-HMAC-SHA256``)."""

    def __init__(self, region: str) -> None:
        self._region = region

    def headers(self, request: Request, key: AccessKey, host: str, now: datetime) -> dict[str, str]:  # noqa: ARG002
        """Return the headers of a signed request, with the signature."""
        moment = now.strftime("%Y%m%dT%H%M%SZ")
        headers = {"x-dlf-date": moment, "x-dlf-content-sha256": _UNSIGNED, "x-dlf-version": "v1"}
        if request.body:
            headers |= {"Content-Type": _JSON, "Content-MD5": _md5(request.body)}
        if key.security_token is not None:
            headers["x-dlf-security-token"] = key.security_token
        scope = f"{moment[:8]}/{self._region}/{_PRODUCT}/{_REQUEST_TYPE}"
        canonical = hashlib.sha256(_canonical(request, headers).encode()).hexdigest()
        text = f"DLF4-HMAC-SHA256\n{moment}\n{scope}\n{canonical}"
        signing_key = f"aliyun_v4{key.secret}".encode()
        for part in scope.split("/"):
            signing_key = _sha256(signing_key, part)
        signature = _sha256(signing_key, text).hex()
        return {**headers, "Authorization": f"DLF4-HMAC-SHA256 Credential={key.id}/{scope},Signature={signature}"}


class OpenApiSigner(Signer):
    """Signs as the endpoints of Alibaba Cloud's OpenAPI require (``acs``, HMAC-SHA1)."""

    def __init__(self, nonce: Callable[[], str] = lambda: f"{uuid.uuid4()}{time.time_ns()}") -> None:
        self._nonce = nonce

    def headers(self, request: Request, key: AccessKey, host: str, now: datetime) -> dict[str, str]:
        """Return the headers of a signed request, with the signature."""
        headers = {
            "Date": format_datetime(now, usegmt=True),
            "Accept": _JSON,
            "Host": host,
            "x-acs-signature-method": "HMAC-SHA1",
            "x-acs-signature-nonce": self._nonce(),
            "x-acs-signature-version": "1.0",
            "x-acs-version": "2026-01-18",
        }
        if request.body:
            headers |= {"Content-Type": _JSON, "Content-MD5": _md5(request.body)}
        if key.security_token is not None:
            headers["x-acs-security-token"] = key.security_token
        lines = [request.method, *(headers.get(name, "") for name in ("Accept", "Content-MD5", "Content-Type", "Date"))]
        lines += [f"{name}:{value.strip()}" for name, value in sorted(headers.items()) if name.startswith("x-acs-")]
        text = "\n".join([*lines, _resource(request)])
        signature = base64.b64encode(hmac.new(key.secret.encode(), text.encode(), hashlib.sha1).digest()).decode()
        return {**headers, "Authorization": f"acs {key.id}:{signature}"}


class DlfProvider(AuthProvider):
    """Signs requests with an access key, which is loaded again an hour before it expires.

    Args:
        signer: The algorithm.
        host: The host of the service.
        load: Returns an access key.
    """

    def __init__(self, signer: Signer, host: str, load: Callable[[], AccessKey]) -> None:
        self._signer = signer
        self._host = host
        self._load = load
        self._lock = threading.Lock()
        self._key: AccessKey | None = None

    def headers(self, request: Request) -> Mapping[str, str]:
        """Return the headers of the signed request."""
        return self._signer.headers(request, self._current(), self._host, datetime.now(UTC))

    def _current(self) -> AccessKey:
        with self._lock:
            if self._key is None or (self._key.expires or float("inf")) - time.time() < _RENEWED_BEFORE:
                self._key = self._load()
            return self._key


def dlf_provider(options: Mapping[str, str]) -> DlfProvider:
    """Return the provider that options ``dlf.*`` configure.

    Raises:
        CatalogError: An option is missing or has an unknown value.
    """
    uri = required(options, "uri")
    host = re.sub(r"^https?://", "", uri).partition("/")[0]
    return DlfProvider(_signer(options, uri), host, _loader(options))


def _signer(options: Mapping[str, str], uri: str) -> Signer:
    name = options.get("dlf.signing-algorithm") or ("openapi" if "dlfnext" in uri.lower() else "default")
    if name == "openapi":
        return OpenApiSigner()
    if name != "default":
        raise CatalogError(f"'dlf.signing-algorithm' cannot be '{name}'.", "Write default or openapi.")
    found = _REGION.search(uri)
    region = options.get("dlf.region") or (found and found[1])
    if not region:
        raise CatalogError("The region of the service is not known.", "Set option 'dlf.region'.")
    return DefaultSigner(region)


def _loader(options: Mapping[str, str]) -> Callable[[], AccessKey]:
    name = options.get("dlf.token-loader") or ("local_file" if "dlf.token-path" in options else None)
    if name == "ecs":
        url = options.get("dlf.token-ecs-metadata-url", _METADATA_URL)
        return lambda: _from_metadata(url, options.get("dlf.token-ecs-role-name"))
    if name == "local_file":
        path = required(options, "dlf.token-path")
        return lambda: _from_file(path)
    if name is not None:
        raise CatalogError(f"'dlf.token-loader' cannot be '{name}'.", "Write ecs or local_file.")
    secret = required(options, "dlf.access-key-secret")
    key = AccessKey(required(options, "dlf.access-key-id"), secret, options.get("dlf.security-token"))
    return lambda: key


def _from_metadata(url: str, role: str | None) -> AccessKey:
    try:
        name = role or _fetched(url).decode().strip()
        return AccessKey.from_json(_fetched(url + name), f"The metadata service at {url}")
    except OSError as error:
        raise CatalogError(f"The metadata service at {url} does not answer: {error}.") from error


def _fetched(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=_METADATA_SECONDS) as answer:
        return bytes(answer.read())


def _from_file(path: str) -> AccessKey:
    try:
        with open(path, "rb") as file:
            return AccessKey.from_json(file.read(), f"File {path}")
    except OSError as error:
        raise CatalogError(f"The access key in {path} cannot be read: {error.strerror}.") from error


def _canonical(request: Request, headers: Mapping[str, str]) -> str:
    query = "&".join(f"{key}={encoded(value)}" if value else key for key, value in sorted(request.query.items()))
    signed = sorted((name.lower(), value.strip()) for name, value in headers.items())
    lines = [request.method, request.path, query, *(f"{name}:{value}" for name, value in signed)]
    return "\n".join([*lines, _UNSIGNED])


def _resource(request: Request) -> str:
    path = unquote_plus(request.path)
    query = "&".join(f"{key}={value}" if value else key for key, value in sorted(request.query.items()))
    return f"{path}?{query}" if query else path


def _md5(text: str) -> str:
    return base64.b64encode(hashlib.md5(text.encode(), usedforsecurity=False).digest()).decode()


def _sha256(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
