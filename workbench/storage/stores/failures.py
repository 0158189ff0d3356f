"""What the failures of storages mean: errors that name the storage and the cause, whatever package raised them."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.base.errors import CatalogError


class StorageError(CatalogError, OSError):
    """A storage does not answer, or refuses a request."""

    code = "storage_error"

    def __init__(self, message: str, hint: str | None = None, number: int = errno.EIO) -> None:
        super().__init__(message, hint)
        self.errno = number


@dataclass(frozen=True)
class Failure:
    """A cause of failed requests. ``codes`` are those of the storages in lower case, and HTTP statuses as text."""

    codes: frozenset[str]
    message: str
    hint: str
    number: int = errno.EIO
    is_temporary: bool = False


def _failure(codes: str, message: str, hint: str, number: int = errno.EIO, *, is_temporary: bool = False) -> Failure:
    return Failure(frozenset(codes.lower().split()), message, hint, number, is_temporary)


UNREACHABLE = _failure("", "does not answer", "Check its address and the network, and try again.", errno.ETIMEDOUT)
_LOST = _failure(
    "", "closes connections without an answer", "Check the network, and try again.", errno.EPIPE, is_temporary=True
)
NO_BUCKET = _failure(
    "NoSuchBucket ContainerNotFound ContainerBeingDeleted FilesystemNotFound InvalidBucketName",
    "has no such bucket",
    "Create the bucket, or correct its name in the path.",
    errno.ENOENT,
)
_NO_CREDENTIALS = _failure(
    "",
    "needs credentials",
    "Set the options of the store, such as a key or a profile, or the variables of the environment.",
    errno.EACCES,
)
# The first that applies; statuses come last, because they are less exact than codes.
_FAILURES = (
    _failure(
        "ExpiredToken ExpiredTokenException TokenRefreshRequired RequestExpired",
        "refuses expired credentials",
        "Renew the session token.",
        errno.EACCES,
    ),
    _failure(
        "RequestTimeTooSkewed",
        "refuses the time of this machine's clock",
        "Set the clock: it differs too much from the storage's.",
        errno.EACCES,
    ),
    NO_BUCKET,
    _failure(
        "PermanentRedirect AuthorizationHeaderMalformed IllegalLocationConstraintException 301 307",
        "refuses requests of another region",
        "Set the region of the bucket, such as s3.endpoint.region.",
        errno.EACCES,
    ),
    _failure(
        "InvalidAccessKeyId SignatureDoesNotMatch InvalidToken AuthenticationFailed InvalidAuthenticationInfo 401",
        "does not accept the credentials",
        "Check the access key and the secret.",
        errno.EACCES,
    ),
    _failure(
        "SlowDown ServiceUnavailable TooManyRequests ServerBusy RequestLimitExceeded Throttling 429 503 "
        "org.apache.hadoop.ipc.RetriableException org.apache.hadoop.hdfs.server.namenode.SafeModeException",
        "limits the number of requests",
        "Try again later, or with fewer jobs at the same time.",
        errno.EBUSY,
        is_temporary=True,
    ),
    _failure(
        "AccessDenied AllAccessDisabled AuthorizationFailure AuthorizationPermissionMismatch forbidden 403 "
        "org.apache.hadoop.security.AccessControlException",
        "denies access",
        "Ask for the permission, or use other credentials.",
        errno.EACCES,
    ),
    _failure(
        "InternalError 500 502 504 java.io.IOException", "has an internal error", "Try again later.", is_temporary=True
    ),
)
_OF_HDFS = re.compile(r'^RPCError\("([\w.$]+)"')
# Names of errors, so that none of the packages has to be loaded: of missing credentials, of a connection that ended
# before the answer, and of all other failures of networks.
_OF_MISSING_CREDENTIALS = {
    "CredentialRetrievalError",
    "NoCredentialsError",
    "PartialCredentialsError",
    "ProfileNotFound",
}
_OF_LOST_ANSWERS = {
    "ClientPayloadError",
    "ConnectionClosedError",
    "ConnectionResetError",
    "IncompleteRead",
    "RemoteDisconnected",
    "ServerDisconnectedError",
    "ServiceResponseError",
}
_OF_NETWORKS = {
    "ClientConnectionError",
    "ConnectTimeoutError",
    "ConnectionClosedError",
    "ConnectionError",
    "EndpointConnectionError",
    "FSTimeoutError",
    "HTTPClientError",
    "ReadTimeoutError",
    "ServiceRequestError",
    "TimeoutError",
}


def failure_of(error: BaseException) -> Failure | None:
    """Return the cause of a failed request; None if the storage answered it, for example that there is no such file."""
    chain = list(_chain(error))
    codes = [code.lower() for each in chain for code in _codes(each)]
    for failure in _FAILURES:
        if any(code in failure.codes for code in codes):
            return failure
    names = {kind.__name__ for each in chain for kind in type(each).__mro__}
    if names & _OF_MISSING_CREDENTIALS:
        return _NO_CREDENTIALS
    if names & _OF_LOST_ANSWERS:
        return _LOST
    return UNREACHABLE if names & _OF_NETWORKS else None


def storage_error(failure: Failure, host: str, path: str, cause: BaseException | None = None) -> StorageError:
    """Return the error about a request, with the words of the storage. A client that reached no storage only repeats
    its address."""
    words = "" if cause is None or failure is UNREACHABLE else _words(cause)
    said = f" ({words})" if words else ""
    return StorageError(f"The storage {host} {failure.message}: {path}{said}.", failure.hint, failure.number)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _codes(error: BaseException) -> Iterator[str]:
    """Yield the codes and the HTTP status in an error of botocore, gcsfs or Azure."""
    if str(error).startswith("Forbidden: "):
        yield "forbidden"  # gcsfs drops the status.
    if isinstance(error, RuntimeError):
        # hdfs-native names the exception of the server.
        yield from _OF_HDFS.findall(str(error))
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):
        yield str(response.get("Error", {}).get("Code", ""))
        yield str(response.get("ResponseMetadata", {}).get("HTTPStatusCode", ""))
    for name in ("error_code", "status_code", "code"):
        value: Any = getattr(error, name, None)
        if isinstance(value, str | int):
            yield str(getattr(value, "value", value))


def _words(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return "" if not text else text[0].rstrip(".")[:200]
