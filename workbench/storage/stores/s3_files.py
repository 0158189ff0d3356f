"""The client of S3, with credentials that are renewed, and parts of files that are sent again to a busy server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s3fs import S3FileSystem

from workbench.storage.stores.options import Arguments
from workbench.storage.stores.s3_credentials import Source, session_of
from workbench.storage.stores.watched import repeat_while_busy


class S3Files(S3FileSystem):  # type: ignore[misc]
    """The file system of s3fs, whose files send a part again that a busy server refuses. The server knows the number of
    the part, so that it never has it twice."""

    def call_s3(self, method: str, *given: Any, **named: Any) -> Any:
        """Return the answer to a request."""
        if method != "upload_part":
            return super().call_s3(method, *given, **named)
        return repeat_while_busy(lambda: super(S3Files, self).call_s3(method, *given, **named))


def open_s3_files(arguments: Arguments) -> S3Files:
    """Return the file system. Credentials other than keys in the options are looked up again when they expire."""
    given = {"use_listings_cache": False, **arguments}
    role, sts = given.pop("role", {}), given.pop("sts", {})
    assumes = "RoleArn" in role
    if given.get("anon") or "session" in given or ("key" in given and not assumes):
        return S3Files(**given)
    found = {name: given.pop(name, None) for name in ("profile", "key", "secret", "token")}
    source = Source(**found, role=_pairs(role if assumes else {}), client=_client_of_roles(given, sts))
    given["session"] = session_of(source)
    return S3Files(**given)


def _client_of_roles(arguments: Arguments, sts: Mapping[str, str]) -> tuple[tuple[str, Any], ...]:
    """Return the arguments of the client that assumes roles: its address, and how the network is reached."""
    given = arguments.get("client_kwargs", {})
    region = sts.get("region_name") or given.get("region_name")
    endpoint = sts.get("endpoint_url")
    if endpoint and "://" not in endpoint:
        endpoint = f"https://{endpoint}"
    proxies = arguments.get("config_kwargs", {}).get("proxies")
    known = {"endpoint_url": endpoint, "region_name": region, "verify": given.get("verify")}
    found = {key: value for key, value in known.items() if value is not None}
    return _pairs({**found, "proxies": _pairs(proxies)} if proxies else found)


def _pairs(values: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(values.items()))
