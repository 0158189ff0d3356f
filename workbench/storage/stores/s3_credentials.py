"""Credentials of S3 that expire while a job runs: they are looked up again, in each process that uses them."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from aiobotocore.config import AioConfig
from aiobotocore.credentials import AioAssumeRoleCredentialFetcher, AioRefreshableCredentials
from aiobotocore.session import AioSession

_EXPIRED = {"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken", "InvalidAccessKeyId"}
# How long a session of a role lasts, and how long before its end botocore renews its credentials: if it can, and in any
# case.
_SECONDS, _ADVISORY, _MANDATORY = 3600, 900, 600
# Answers to HEAD have no body, so that expired credentials are reported as a bad request without a code.
_BAD_REQUEST = "400"


@dataclass(frozen=True)
class Source:
    """Where credentials are found. Without a profile or keys, that is botocore's own chain of places."""

    profile: str | None = None
    key: str | None = field(default=None, repr=False)
    secret: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    role: tuple[tuple[str, str | int], ...] = ()
    """The parameters of AssumeRole under the names of STS; empty if no role is assumed."""

    client: tuple[tuple[str, Any], ...] = ()
    """The arguments of the client that assumes the role."""


class RenewedCredentials:
    """Credentials in the form that botocore signs with.

    Temporary ones whose time of expiry is known are renewed before it by botocore; `renew` is for all others, such as
    those of a file that another program rewrites.

    Args:
        find: Finds credentials, each time from their source.
        first: The credentials that it has found.
    """

    def __init__(self, find: Callable[[], Awaitable[Any]], first: Any) -> None:
        self._find = find
        self._current = first

    async def get_frozen_credentials(self) -> Any:
        """Return credentials for a request."""
        return await self._current.get_frozen_credentials()

    def __getattr__(self, name: str) -> Any:
        # Such as the id of the account.
        return getattr(self._current, name)

    async def renew(self, response: Any, operation: Any, attempts: int, **_: Any) -> float | None:
        """Return after how many seconds a request is sent again, for botocore's event ``needs-retry``: at once if the
        storage refused the first attempt for its credentials, and there are others; otherwise None."""
        if response is None or attempts > 1 or not _is_refusal(response[1], operation):
            return None
        before = await self.get_frozen_credentials()
        found = await self._find()
        if found is None or await found.get_frozen_credentials() == before:
            return None
        self._current = found
        return 0.0


def _is_refusal(answer: Mapping[str, Any], operation: Any) -> bool:
    code = str(answer.get("Error", {}).get("Code"))
    return code in _EXPIRED or (code == _BAD_REQUEST and operation.http.get("method") == "HEAD")


class _Provider:
    """Finds the credentials of a session, in the place of botocore's own provider."""

    def __init__(self, session: AioSession, source: Source) -> None:
        self._session = session
        self._source = source

    async def load_credentials(self) -> RenewedCredentials | None:
        find = partial(_found, self._source)
        first = await find()
        if first is None:
            return None
        found = RenewedCredentials(find, first)
        self._session.register("needs-retry.s3", found.renew)
        return found


def session_of(source: Source) -> AioSession:
    """Return the session of botocore for credentials from a source. Each process has one, which keeps what it found."""
    return _session(source, os.getpid())


@lru_cache(maxsize=32)
def _session(source: Source, process: int) -> AioSession:  # noqa: ARG001
    session = AioSession(profile=source.profile)
    session.register_component("credential_provider", _Provider(session, source))
    return session


async def _found(source: Source) -> Any:
    """Return credentials from their source. A session keeps the content of its files, so that each call opens one."""
    session = AioSession(profile=source.profile)
    if source.key is not None:
        session.set_credentials(source.key, source.secret, source.token)
    own = await session.get_credentials()
    if not source.role or own is None:
        return own
    role, client = dict(source.role), dict(source.client)
    if "proxies" in client:
        client["config"] = AioConfig(proxies=dict(client.pop("proxies")))
    create = partial(session.create_client, **client)
    fetcher = AioAssumeRoleCredentialFetcher(create, own, role.pop("RoleArn"), extra_args=role)
    seconds = int(role.get("DurationSeconds", _SECONDS))
    return AioRefreshableCredentials.create_from_metadata(
        await fetcher.fetch_credentials(),
        fetcher.fetch_credentials,
        "assume-role",
        # By default, those of a short session would be renewed before each request.
        advisory_timeout=min(_ADVISORY, seconds // 4),
        mandatory_timeout=min(_MANDATORY, seconds // 8),
    )
